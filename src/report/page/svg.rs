//! A decision tree as one SVG picture.
//!
//! Layers go from left to right. A node is in the layer after the last of its predecessors. Nodes of one layer are
//! ordered by the mean row of their predecessors, so that few edges cross.

use hashbrown::HashMap;
use maud::{Markup, PreEscaped, html};
use rustc_hash::FxBuildHasher;

use crate::matcher_tree::{Printer, Tree, TreeNode, TreeNodeId};
use crate::pdl::RuleSet;

const WIDTH: usize = 280;
const HEIGHT: usize = 40;
const COLUMN: usize = WIDTH + 120;
const ROW: usize = HEIGHT + 16;
const MARGIN: usize = 20;
/// The maximum length of a text in a box, in characters.
const TEXT: usize = 35;
/// The maximum length of a text beside an edge, in characters.
const EDGE_TEXT: usize = 18;

const STYLE: &str = "svg { color-scheme: light dark; --card: #fff; --text: #22211e; --line: #b9b7b0; --soft: #6d6b64; \
--good: #24803f; background: #f7f7f5; } \
@media (prefers-color-scheme: dark) { svg { --card: #1f2124; --text: #e6e4df; --line: #54575d; --soft: #9c9a93; \
--good: #5cc27d; background: #17181a; } } \
rect { fill: var(--card); stroke: var(--line); rx: 6px; } .leaf rect { stroke: var(--good); stroke-width: 1.5px; } \
text { font: 12px ui-monospace, monospace; fill: var(--text); } text.edge { font-size: 10px; fill: var(--soft); } \
path { fill: none; stroke: var(--line); }";

/// Draws the nodes of a tree.
pub(super) fn picture(rules: &RuleSet, tree: &Tree, nodes: &[TreeNodeId]) -> String {
    let printer = Printer::new(rules, tree);
    let layers = layers(tree, nodes);
    let mut places: HashMap<TreeNodeId, (usize, usize), FxBuildHasher> = HashMap::default();
    for (x, layer) in layers.iter().enumerate() {
        for (y, &node) in layer.iter().enumerate() {
            places.insert(node, (MARGIN + x * COLUMN + COLUMN / 2, MARGIN + y * ROW));
        }
    }
    let rows = layers.iter().map(Vec::len).max().unwrap_or(0);
    let (width, height) = (MARGIN + COLUMN / 2 + layers.len() * COLUMN, 2 * MARGIN + rows.max(1) * ROW);
    let edge = |from: (usize, usize), to: (usize, usize), text: &str| {
        let ((x, y), (to_x, to_y)) = (from, to);
        let middle = usize::midpoint(x, to_x);
        let curve = format!("M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}");
        html! {
            path d=(curve) {}
            text class="edge" x=(to_x - 6) y=(to_y - 4) text-anchor="end" { (shorten(text, EDGE_TEXT)) }
            "\n"
        }
    };
    let left = |place: &(usize, usize)| (place.0, place.1 + HEIGHT / 2);
    let start = (MARGIN, MARGIN + HEIGHT / 2);
    let roots = tree.entries().iter().map(|&(name, node)| (&rules.strings[name], node));
    let mut edges: Vec<Markup> = Vec::new();
    for (name, node) in roots.chain([("*", tree.any())]) {
        edges.extend(places.get(&node).map(|place| edge(start, left(place), name)));
    }
    for &node in nodes {
        let (x, y) = places[&node];
        for (text, to) in printer.edges(node) {
            let from = (x + WIDTH, y + HEIGHT / 2);
            edges.extend(places.get(&to).map(|place| edge(from, left(place), &text)));
        }
    }
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) width=(width)
            height=(height) {
            "\n" style { (PreEscaped(STYLE)) } "\n"
            @for edge in &edges { (edge) }
            @for &node in nodes {
                @let (x, y) = places[&node];
                @let leaf = matches!(tree.nodes()[node], TreeNode::Leaf { .. });
                @let head = printer.head(node);
                g class=[leaf.then_some("leaf")] transform=(format!("translate({x} {y})")) {
                    title { "n" (node.raw()) ": " (shorten(&head, usize::MAX)) }
                    rect width=(WIDTH) height=(HEIGHT) {}
                    text x="10" y="24" { (shorten(&head, TEXT)) }
                }
                "\n"
            }
        }
    }
    .into_string()
        + "\n"
}

/// The nodes of each layer, in order.
fn layers(tree: &Tree, nodes: &[TreeNodeId]) -> Vec<Vec<TreeNodeId>> {
    let mut waiting: HashMap<TreeNodeId, usize, FxBuildHasher> = nodes.iter().map(|&n| (n, 0)).collect();
    for &node in nodes {
        for child in tree.children(node) {
            waiting.entry(child).and_modify(|count| *count += 1);
        }
    }
    let mut layers: Vec<Vec<TreeNodeId>> = Vec::new();
    let mut next: Vec<TreeNodeId> = nodes.iter().copied().filter(|node| waiting[node] == 0).collect();
    // The sum of the rows of a node's predecessors, and their number.
    let mut above: HashMap<TreeNodeId, (usize, usize), FxBuildHasher> = HashMap::default();
    while !next.is_empty() {
        next.sort_by_key(|node| above.get(node).map_or(0, |&(sum, count)| sum * 16 / count.max(1)));
        let mut after = Vec::new();
        for (row, &node) in next.iter().enumerate() {
            for child in tree.children(node) {
                let Some(left) = waiting.get_mut(&child) else { continue };
                *left -= 1;
                let place = above.entry(child).or_default();
                *place = (place.0 + row, place.1 + 1);
                if *left == 0 {
                    after.push(child);
                }
            }
        }
        layers.push(std::mem::replace(&mut next, after));
    }
    layers
}

/// A text shortened to a number of characters, with a space in place of each control character, because XML does not
/// allow most of them.
fn shorten(text: &str, max: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut out: String = text.chars().take(max).map(clean).collect();
    if text.chars().nth(max).is_some() {
        out.push('…');
    }
    out
}
