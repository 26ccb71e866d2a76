// The page of `profile` and `dump --format html`.

import { RuleTable } from "./table.js";
import { TreeView, make, number, ruleSearch, themeButton } from "./tree.js";

const D = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const counted = D.counted;
themeButton($("theme"));

// ---- Tabs ----
const TABS = [["tree", "Tree"], ["rules", "Rules"], ["ir", "IR"]].filter(([id]) => id !== "ir" || D.ir.length);
function show(id) {
  for (const [tab] of TABS) {
    $(tab).hidden = tab !== id;
    $("tab-" + tab).setAttribute("aria-selected", tab === id);
  }
  if (id === "rules") table.draw();
  if (id === "tree") tree.draw();
}
for (const [id, text] of TABS) {
  $("tabs").append(make("button", { id: "tab-" + id, role: "tab", onclick: () => show(id) }, text));
}
for (const [label, value] of D.summary) {
  $("summary").append(make("div", {}, make("b", {}, value), make("span", {}, label)));
}

// ---- The tree ----
const tree = new TreeView({ picture: $("picture"), world: $("world"), scale: $("scale"), details: $("details") });
tree.show(D);
tree.onRule = (rule) => { show("tree"); tree.reveal(rule); };
$("in").onclick = () => tree.zoom(1.3);
$("out").onclick = () => tree.zoom(1 / 1.3);
$("fit").onclick = () => tree.fit();
$("fold").onclick = () => { tree.fold(); tree.draw(); tree.overview(); };
$("hot").onclick = () => { tree.openHottest(); tree.draw(); tree.overview(); };
const table = new RuleTable($("table"), tree);
table.show(D, true);
ruleSearch($("search"), $("found"), () => D, (rule) => tree.onRule(rule));

// ---- The IR ----
for (const [name, lines, left] of D.ir) {
  const text = make("pre");
  let before = 0;
  for (const [no, content, fired] of lines) {
    if (no > before + 1) text.append(make("div", {}, make("i", {}, "…")));
    before = no;
    const row = make("div", { class: fired.length ? "fired" : "" }, make("i", {}, String(no)), make("span", {}, content));
    for (let i = 0; i < fired.length; i += 2) {
      const a = tree.ruleLink(fired[i]);
      if (fired[i + 1] > 1) a.append(` ×${number(fired[i + 1])}`);
      row.append(a);
    }
    text.append(row);
  }
  if (left) text.append(make("div", {}, make("i", {}, "…"), make("span", {}, `${number(left)} more lines`)));
  $("ir").append(make("h2", {}, name), text);
}

$("details").append(make("p", {}, "Click a node to unfold it, and to see the rules that need this test and their lines. Drag to move the picture; turn the wheel to zoom."));
if (tree.kids(tree.top).length === 1 || counted) tree.openHottest();
show("tree");
tree.overview();
