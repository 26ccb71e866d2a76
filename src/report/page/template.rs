//! The HTML around the data, the style sheet and the script.

use maud::{DOCTYPE, PreEscaped, html};

const CSS: &str = include_str!("page.css");
/// The modules of the script; each imports only from those before it.
const MODULES: [&str; 3] = [include_str!("tree.js"), include_str!("table.js"), include_str!("page.js")];

/// All modules as one, without their imports.
fn script() -> String {
    let lines = MODULES.iter().flat_map(|module| module.lines());
    lines.filter(|line| !line.starts_with("import ")).flat_map(|line| [line, "\n"]).collect()
}

/// The HTML page with a title and JSON data for the script.
pub(super) fn page(title: &str, data: &str) -> String {
    // Without `<`, the data cannot end the script element.
    let data = data.replace('<', "\\u003c");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(CSS)) }
            }
            body {
                header {
                    h1 { (title) }
                    nav id="tabs" role="tablist" {}
                    div class="search" {
                        input id="search" type="search" placeholder="Find a rule" autocomplete="off"
                            spellcheck="false" aria-label="Find a rule";
                        ul id="found" hidden {}
                    }
                    button id="theme" title="Light or dark" aria-label="Light or dark" { "◐" }
                }
                section id="summary" {}
                main {
                    section id="tree" role="tabpanel" hidden {
                        div id="tools" {
                            button id="in" title="Zoom in" aria-label="Zoom in" { "+" }
                            button id="out" title="Zoom out" aria-label="Zoom out" { "−" }
                            button id="fit" { "Fit" }
                            button id="hot" { "Hottest path" }
                            button id="fold" { "Fold all" }
                            span id="scale" {}
                        }
                        svg id="picture" aria-label="The decision tree" { g id="world" {} }
                        aside id="details" {}
                    }
                    section id="rules" role="tabpanel" hidden {
                        div id="table" { table { thead {} tbody {} } }
                    }
                    section id="ir" role="tabpanel" hidden {}
                }
                noscript { "This page needs JavaScript. It loads nothing from a network." }
                script id="data" type="application/json" { (PreEscaped(data)) }
                script type="module" { (PreEscaped(script())) }
            }
        }
    }
    .into_string()
}
