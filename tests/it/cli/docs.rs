//! Tests of the documentation: links resolve, transcripts equal the output of the command, and lists of pages,
//! dependencies, features and modules are complete.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::files_below;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Four pages in the root folder, the pages of the hosts and of the fuzz targets, and all pages in `docs/` and
/// `examples/`.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "THIRD-PARTY.md"]
        .map(|name| root().join(name))
        .into();
    let hosts = ["mlir", "pliron", "python", "web"].map(|host| format!("hosts/{host}/README.md"));
    pages.extend(hosts.iter().map(String::as_str).chain(["fuzz/README.md"]).map(|name| root().join(name)));
    for folder in ["docs", "examples"] {
        pages.extend(files_below(&root().join(folder), "md"));
    }
    pages.sort();
    pages
}

/// Removes code from a page.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced && !line.starts_with("    ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The targets of the links `[…](…)` of a page.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.match_indices("](").filter_map(|(at, _)| prose[at + 2..].split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_resolve() {
    let mut dead = Vec::new();
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            if link.starts_with("http://") || link.starts_with("https://") {
                continue;
            }
            seen += 1;
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let found = match std::fs::read_to_string(&target) {
                Ok(text) => {
                    let headings = text.lines().filter_map(|line| line.split_once("# "));
                    heading.is_empty() || headings.into_iter().any(|(_, title)| anchor(title) == heading)
                }
                Err(_) => target.is_dir(),
            };
            if !found {
                dead.push(format!("{}: {link}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert_eq!(dead, [""; 0]);
    assert!(seen > 20, "only {seen} links");
}

#[test]
fn readme_links_the_pages_in_docs() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let links = links(&readme);
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        let linked = name.starts_with("docs/") || name == "THIRD-PARTY.md";
        assert!(!linked || links.contains(&name), "{name} is not linked");
    }
}

#[test]
fn transcripts_equal_the_output_of_the_command() {
    let mut run = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for block in text.split("```text\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let Some((line, expected)) = block.strip_prefix("$ drrvm ").and_then(|b| b.split_once('\n'))
            else {
                continue;
            };
            let output =
                Command::new(env!("CARGO_BIN_EXE_drrvm")).args(line.split(' ')).current_dir(root()).output();
            let output = String::from_utf8(output.unwrap().stdout).unwrap();
            assert_eq!(output.trim_end(), expected.trim_end(), "{}: drrvm {line}", page.display());
            run += 1;
        }
    }
    assert!(run >= 3, "only {run} transcripts");
}

#[test]
fn dependencies_are_in_the_notice() {
    let notice = std::fs::read_to_string(root().join("THIRD-PARTY.md")).unwrap();
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let listed: Vec<&str> = notice
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next())
        .filter(|name| *name != "crate")
        .collect();
    for name in &listed {
        assert!(lock.contains(&format!("name = \"{name}\"")), "{name} is no longer a dependency");
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let direct = manifest.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    for name in direct.lines().filter_map(|line| Some(line.split_once(" = ")?.0)) {
        assert!(listed.contains(&name), "{name} is not in THIRD-PARTY.md");
    }
}

/// The README and the page on the architecture list every feature of the manifest except `default`.
#[test]
fn pages_document_every_feature() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[features]").nth(1).unwrap().split("\n[").next().unwrap();
    let names = section.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    let features: Vec<&str> = names.map(|line| line.split(' ').next().unwrap()).collect();
    assert!(features.contains(&"default") && features.len() > 5, "{features:?}");
    for (page, start, end) in
        [("README.md", "Cargo features:", "\n\n"), ("docs/ARCHITECTURE.md", "## Cargo features", "\n## ")]
    {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let list = text.split(start).nth(1).unwrap().split(end).next().unwrap();
        for feature in features.iter().filter(|&&feature| feature != "default") {
            assert!(list.contains(&format!("`{feature}`")), "{page} does not document the feature {feature}");
        }
    }
}

/// The names in back quotes in the first column of the table after a heading.
fn first_column(page: &str, heading: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let (_, section) = text.split_once(heading).unwrap();
    let rows =
        section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = rows.skip(2).map(|row| row.split('|').nth(1).unwrap().to_owned());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn code_map_lists_every_module() {
    let table = first_column("docs/ARCHITECTURE.md", "## Code map");
    let page = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let modules = page.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
    for module in modules.map(|line| line.trim_end_matches(';')) {
        let paths = [format!("src/{module}.rs"), format!("src/{module}/")];
        let inside = |known: &String| known.starts_with(&paths[1]) || paths.contains(known);
        assert!(table.iter().any(inside), "{module}");
    }
    for documented in table.iter().filter(|path| path.starts_with("src/")) {
        assert!(root().join(documented).exists(), "{documented}");
    }
}
