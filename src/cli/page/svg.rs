//! A decision tree as one SVG picture.
//!
//! Layers from left to right: a node is one layer after the last of those that lead to it. In a layer, nodes
//! are ordered by where those that lead to them are, so that edges cross little.

use std::fmt::Write;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::matcher_tree::{Printer, Tree, TreeNode, TreeNodeId};
use crate::pdl::RuleSet;

const WIDTH: usize = 280;
const HEIGHT: usize = 40;
const COLUMN: usize = WIDTH + 120;
const ROW: usize = HEIGHT + 16;
const MARGIN: usize = 20;
/// Longest text in a box or beside an edge, in characters.
const TEXT: usize = 35;
const EDGE_TEXT: usize = 18;

const STYLE: &str = "svg { color-scheme: light dark; --card: #fff; --text: #22211e; --line: #b9b7b0; --soft: #6d6b64; \
--good: #24803f; background: #f7f7f5; } \
@media (prefers-color-scheme: dark) { svg { --card: #1f2124; --text: #e6e4df; --line: #54575d; --soft: #9c9a93; \
--good: #5cc27d; background: #17181a; } } \
rect { fill: var(--card); stroke: var(--line); rx: 6px; } .leaf rect { stroke: var(--good); stroke-width: 1.5px; } \
text { font: 12px ui-monospace, monospace; fill: var(--text); } text.edge { font-size: 10px; fill: var(--soft); } \
path { fill: none; stroke: var(--line); }";

/// The picture. `nodes` are those to draw, each before what it leads to where the graph allows.
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
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\">\n<style>{STYLE}</style>\n"
    );
    let mut edge = |from: (usize, usize), to: (usize, usize), text: &str| {
        let ((x, y), (to_x, to_y)) = (from, to);
        let middle = usize::midpoint(x, to_x);
        let _ = writeln!(
            out,
            "<path d=\"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}\"/>\
             <text class=\"edge\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            to_x - 6,
            to_y - 4,
            escaped(text, EDGE_TEXT)
        );
    };
    let left = |place: &(usize, usize)| (place.0, place.1 + HEIGHT / 2);
    let start = (MARGIN, MARGIN + HEIGHT / 2);
    let roots = tree.entries().iter().map(|&(name, node)| (&rules.strings[name], node));
    for (name, node) in roots.chain([("*", tree.any())]) {
        places.get(&node).into_iter().for_each(|place| edge(start, left(place), name));
    }
    for &node in nodes {
        let (x, y) = places[&node];
        for (text, to) in printer.edges(node) {
            let from = (x + WIDTH, y + HEIGHT / 2);
            places.get(&to).into_iter().for_each(|place| edge(from, left(place), &text));
        }
    }
    for &node in nodes {
        let (x, y) = places[&node];
        let class = if matches!(tree.nodes()[node], TreeNode::Leaf { .. }) { " class=\"leaf\"" } else { "" };
        let head = printer.head(node);
        let _ = writeln!(
            out,
            "<g{class} transform=\"translate({x} {y})\"><title>n{}: {}</title>\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\"/><text x=\"10\" y=\"24\">{}</text></g>",
            node.raw(),
            escaped(&head, usize::MAX),
            escaped(&head, TEXT)
        );
    }
    out + "</svg>\n"
}

/// The nodes by layer, each layer in order.
fn layers(tree: &Tree, nodes: &[TreeNodeId]) -> Vec<Vec<TreeNodeId>> {
    let mut waiting: HashMap<TreeNodeId, usize, FxBuildHasher> = nodes.iter().map(|&n| (n, 0)).collect();
    for &node in nodes {
        for child in tree.children(node) {
            waiting.entry(child).and_modify(|count| *count += 1);
        }
    }
    let mut layers: Vec<Vec<TreeNodeId>> = Vec::new();
    let mut next: Vec<TreeNodeId> = nodes.iter().copied().filter(|node| waiting[node] == 0).collect();
    // Where those that lead to a node are: the sum of their rows, and how many.
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

/// A text for XML, cut short.
fn escaped(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, c) in text.chars().enumerate() {
        if i == most {
            out.push('…');
            break;
        }
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
