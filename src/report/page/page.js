"use strict";
const D = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const counted = D.counted;
const [KIND, LABEL, COUNT, RULE, EDGES, ASKS, MORE] = [0, 1, 2, 3, 4, 5, 6];
const LEAF = 3;

function make(name, attributes, ...children) {
  const svg = ["g", "rect", "text", "path", "title", "tspan"].includes(name);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== undefined) e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}
const number = (n) => n.toLocaleString("en-US");
const times = (n) => number(n) + (n === 1 ? " time" : " times");
const time = (ns) => ns >= 1e6 ? (ns / 1e6).toFixed(1) + " ms" : ns >= 1e3 ? (ns / 1e3).toFixed(1) + " µs" : ns + " ns";
const place = (line) => line < 0 ? "" : D.files[D.lines[line][0]] + ":" + D.lines[line][1];
const cut = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;

// ---- Light and dark ----
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = (on) => document.documentElement.setAttribute("data-theme", on ? "dark" : "light");
theme(dark.matches);
dark.addEventListener("change", (e) => theme(e.matches));
$("theme").onclick = () => theme(document.documentElement.getAttribute("data-theme") !== "dark");

// ---- Tabs ----
const TABS = [["tree", "Tree"], ["rules", "Rules"], ["ir", "IR"]].filter(([id]) => id !== "ir" || D.ir.length);
function show(id) {
  for (const [tab] of TABS) {
    $(tab).hidden = tab !== id;
    $("tab-" + tab).setAttribute("aria-selected", tab === id);
  }
  if (id === "rules") drawRows();
  if (id === "tree") draw();
}
for (const [id, text] of TABS) {
  $("tabs").append(make("button", { id: "tab-" + id, role: "tab", onclick: () => show(id) }, text));
}
for (const [label, value] of D.summary) {
  $("summary").append(make("div", {}, make("b", {}, value), make("span", {}, label)));
}

// ---- The tree ----
// An item is a path to a node. A node with several parents has several items.
const PAGE = 40, WIDE = 300, HIGH = 48, BOX = 270, TALL = 38;
const hottest = D.nodes.reduce((max, node) => Math.max(max, node[COUNT]), 1);
const heat = (count) => counted && count > 0 ? Math.log(1 + count) / Math.log(1 + hottest) : 0;
const top_ = { node: -1, edge: "", depth: 0, open: true, kids: null, parent: null, limit: PAGE };
let picked = null;

function edges(node) {
  const list = [];
  const flat = node < 0 ? D.roots : D.nodes[node][EDGES];
  for (let i = 0; i < flat.length; i += 2) list.push([D.labels[flat[i]], flat[i + 1]]);
  return list;
}
function kids(item) {
  if (item.kids) return item.kids;
  item.kids = edges(item.node).map(([edge, node]) => (
    { node, edge, depth: item.depth + 1, open: false, kids: null, parent: item, limit: PAGE }));
  if (counted && (item.node < 0 || item.kids.length > PAGE)) {
    item.kids.sort((a, b) => D.nodes[b.node][COUNT] - D.nodes[a.node][COUNT]);
  }
  return item.kids;
}
function shown(item) {
  if (!item.open) return [];
  const all = kids(item);
  if (all.length <= item.limit) return all;
  const rest = all.length - item.limit;
  return [...all.slice(0, item.limit), { more: rest, parent: item, depth: item.depth + 1, open: false }];
}

let view = { x: 20, y: 60, k: 1 };
function place_(items) {
  // Place children before parents: each leaf gets a row, and a parent is centred on its children.
  let row = 0;
  const order = [];
  const stack = [[top_, false]];
  while (stack.length) {
    const [item, done] = stack.pop();
    if (done) {
      const below = item.below;
      item.y = below.length ? (below[0].y + below[below.length - 1].y) / 2 : row++ * HIGH;
      item.x = (item.depth - 1) * WIDE;
      order.push(item);
      continue;
    }
    item.below = shown(item);
    stack.push([item, true]);
    for (let i = item.below.length - 1; i >= 0; i--) stack.push([item.below[i], false]);
  }
  return order;
}
function draw() {
  const items = place_().filter((item) => item !== top_);
  const lines = [], boxes = [];
  for (const item of items) {
    const { x, y } = item;
    if (item.parent !== top_) {
      const px = item.parent.x + BOX, py = item.parent.y + TALL / 2, cy = y + TALL / 2, mid = (px + x) / 2;
      const warm = item.more ? 0 : heat(D.nodes[item.node][COUNT]);
      const line = make("path", { d: `M${px} ${py}C${mid} ${py} ${mid} ${cy} ${x} ${cy}` });
      if (warm > 0) line.setAttribute("style", `stroke: color-mix(in srgb, var(--hot) ${Math.round(100 * warm)}%, var(--line))`);
      lines.push(line);
    }
    boxes.push(item.more ? moreBox(item) : box(item));
  }
  $("world").replaceChildren(...lines, ...boxes);
  look();
}
function box(item) {
  const node = D.nodes[item.node];
  const leaf = node[KIND] === LEAF;
  const share = Math.round(60 * heat(node[COUNT]));
  const expands = node[EDGES].length > 0;
  const label = D.labels[node[LABEL]];
  const g = make("g", {
    class: "node" + (leaf ? " leaf" : "") + (item === picked ? " picked" : ""),
    transform: `translate(${item.x} ${item.y})`, "data-node": item.node, tabindex: 0,
    onclick: () => { if (dragged) return; pick(item, true); },
    onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(item, true); } },
  },
    make("title", {}, (item.edge ? item.edge + " → " : "") + label),
    make("rect", { width: BOX, height: TALL, style: `fill: color-mix(in srgb, var(--hot) ${share}%, var(--card))` }),
    make("text", { class: "edge", x: 10, y: 14 }, cut(item.edge, counted ? 28 : 38)),
    make("text", { x: 10, y: 30 }, cut(label, expands ? 33 : 36)));
  if (counted && node[COUNT] >= 0) g.append(make("text", { class: "count", x: BOX - 10, y: 14 }, number(node[COUNT])));
  if (expands) g.append(make("text", { class: "sign", x: BOX - 18, y: 30 }, item.open ? "−" : "+"));
  return g;
}
function moreBox(item) {
  const grow = () => { if (!dragged) { item.parent.limit += 5 * PAGE; draw(); } };
  return make("g", { class: "node more", transform: `translate(${item.x} ${item.y})`, tabindex: 0, onclick: grow },
    make("rect", { width: BOX, height: TALL, style: "fill: var(--ground)" }),
    make("text", { x: 10, y: 24 }, `… ${number(item.more)} more`));
}
function pick(item, toggle) {
  if (toggle && D.nodes[item.node][EDGES].length) item.open = !item.open;
  picked = item;
  details(item.node);
  const before = item.y;
  draw();
  // The clicked node keeps its place on the screen.
  if (toggle) { view.y += view.k * (before - item.y); look(); }
}
function look() {
  $("world").setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
  $("scale").textContent = Math.round(100 * view.k) + " %";
}
function zoom(by, cx, cy) {
  const r = $("picture").getBoundingClientRect();
  const x = cx ?? r.width / 2, y = cy ?? r.height / 2;
  const k = Math.min(4, Math.max(0.03, view.k * by));
  view = { x: x - (x - view.x) * k / view.k, y: y - (y - view.y) * k / view.k, k };
  look();
}
function fit() {
  const b = $("world").getBBox(), r = $("picture").getBoundingClientRect();
  if (!b.width || !r.width) return;
  const k = Math.min(1, (r.width - 40) / b.width, (r.height - 80) / b.height);
  view = { k, x: (r.width - b.width * k) / 2 - b.x * k, y: 60 - b.y * k };
  look();
}
/** Shows the whole tree, or, if that is too small to read, the surroundings of the first root. */
function overview() {
  fit();
  if (view.k >= 0.6) return;
  const k = 0.8, middle = $("picture").getBoundingClientRect().height / 2;
  view = { k, x: 20, y: Math.min(60, middle - k * kids(top_)[0].y) };
  look();
}
function center(item) {
  const r = $("picture").getBoundingClientRect();
  view = { k: 1, x: r.width * 0.72 - item.x - BOX / 2, y: r.height / 2 - item.y };
  look();
}
let dragged = false, from = null;
$("picture").addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY, view.x, view.y]; dragged = false; });
addEventListener("pointermove", (e) => {
  if (!from) return;
  const dx = e.clientX - from[0], dy = e.clientY - from[1];
  if (!dragged && Math.abs(dx) + Math.abs(dy) < 5) return;
  dragged = true;
  $("picture").classList.add("dragged");
  view.x = from[2] + dx; view.y = from[3] + dy;
  look();
});
addEventListener("pointerup", () => { from = null; $("picture").classList.remove("dragged"); setTimeout(() => { dragged = false; }); });
$("picture").addEventListener("wheel", (e) => {
  e.preventDefault();
  const r = $("picture").getBoundingClientRect();
  zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top);
}, { passive: false });
$("in").onclick = () => zoom(1.3);
$("out").onclick = () => zoom(1 / 1.3);
$("fit").onclick = fit;
$("fold").onclick = () => { for (const kid of kids(top_)) { kid.open = false; kid.kids = null; } draw(); overview(); };
$("hot").onclick = () => { openHottest(); draw(); overview(); };
function openHottest() {
  let item = top_;
  for (let depth = 0; depth < 40; depth++) {
    item.open = true;
    const next = kids(item).reduce((best, kid) => !best || D.nodes[kid.node][COUNT] > D.nodes[best.node][COUNT] ? kid : best, null);
    if (!next || !D.nodes[next.node][EDGES].length) break;
    item = next;
  }
}

// ---- Details of a node ----
function line(index) {
  const at = D.lines[index];
  return at ? [make("div", { class: "place" }, place(index)), make("code", {}, at[2])] : [];
}
function ruleLink(rule) {
  return make("a", { onclick: () => reveal(rule) }, D.rules[rule][0]);
}
function details(index) {
  const node = D.nodes[index], list = make("ol");
  for (let i = 0; i < node[ASKS].length; i += 2) {
    list.append(make("li", {}, ruleLink(node[ASKS][i]), ...line(node[ASKS][i + 1])));
  }
  const parts = [make("h2", {}, D.labels[node[LABEL]])];
  if (counted && node[COUNT] >= 0) {
    parts.push(make("p", {}, `Reached ${times(node[COUNT])}, ${(100 * node[COUNT] / hottest).toFixed(1)} % of the hottest node.`));
  }
  for (const name of new Set(D.labels[node[LABEL]].match(/snippet\d+/g) || [])) {
    parts.push(make("div", { class: "place" }, name), make("code", {}, D.snippets[name] ?? ""));
  }
  if (node[RULE] >= 0) parts.push(...ruleDetails(node[RULE]));
  else if (node[ASKS].length) parts.push(make("p", {}, "Tested for:"));
  parts.push(list);
  if (node[MORE] > 0) parts.push(make("p", {}, `and ${number(node[MORE])} more rules`));
  $("details").replaceChildren(...parts);
}
function ruleDetails(rule) {
  const r = D.rules[rule];
  const parts = [make("p", {}, `${r[0]}, benefit ${r[1]}.`), ...line(r[2])];
  if (counted) {
    parts.push(make("p", {}, `Tried ${times(r[3])}, matched ${times(r[4])}, fired ${times(r[5])}, rolled back ${times(r[6])}.`));
    if (r[9]) parts.push(make("p", {}, `Rejected ${times(r[11])} by:`), make("code", {}, r[9]), ...line(r[10]));
  }
  return parts;
}

// ---- Search for a rule ----
let paths = null;
function pathTo(rule) {
  if (!paths) {
    paths = { from: new Map(), leaf: new Map() };
    const queue = [];
    const reach = (node, by) => { if (!paths.from.has(node)) { paths.from.set(node, by); queue.push(node); } };
    for (const [, node] of edges(-1)) reach(node, -1);
    for (let i = 0; i < queue.length; i++) {
      const node = D.nodes[queue[i]];
      if (node[RULE] >= 0 && !paths.leaf.has(node[RULE])) paths.leaf.set(node[RULE], queue[i]);
      for (let j = 1; j < node[EDGES].length; j += 2) reach(node[EDGES][j], queue[i]);
    }
  }
  const path = [];
  for (let node = paths.leaf.get(rule); node !== undefined && node >= 0; node = paths.from.get(node)) path.unshift(node);
  return path;
}
function reveal(rule) {
  show("tree");
  let item = top_;
  for (const node of pathTo(rule)) {
    item.open = true;
    const all = kids(item), at = all.findIndex((kid) => kid.node === node);
    // A hidden child moves to the front.
    if (at >= item.limit) all.unshift(...all.splice(at, 1));
    item = all.find((kid) => kid.node === node);
  }
  if (item === top_) { $("details").replaceChildren(make("h2", {}, D.rules[rule][0]), make("p", {}, "The tree has no leaf for this rule, because another rule is always applied first."), ...ruleDetails(rule)); return; }
  pick(item, false);
  center(item);
}
$("search").addEventListener("input", () => {
  const wanted = $("search").value.trim().toLowerCase(), found = [];
  for (let i = 0; wanted && i < D.rules.length && found.length < 14; i++) {
    if (D.rules[i][0].toLowerCase().includes(wanted)) found.push(i);
  }
  $("found").replaceChildren(...found.map((rule, i) => make("li", {
    class: i ? "" : "first", "data-rule": rule, onclick: () => choose(rule),
  }, D.rules[rule][0], make("small", {}, place(D.rules[rule][2])))));
  $("found").hidden = !found.length;
});
$("search").addEventListener("keydown", (e) => {
  const first = $("found").querySelector("li");
  if (e.key === "Enter" && first) choose(Number(first.dataset.rule));
  if (e.key === "Escape") $("found").hidden = true;
});
document.addEventListener("click", (e) => { if (!e.target.closest(".search")) $("found").hidden = true; });
function choose(rule) {
  $("found").hidden = true;
  reveal(rule);
}

// ---- The rules ----
const COLUMNS = [["Rule", 0, "left"], ["Benefit", 1], ["Where", 2, "left"]].concat(counted ? [
  ["Tried", 3], ["Matched", 4], ["Fired", 5, "", "bar"], ["Rolled back", 6], ["Matching", 7, "", "bar"], ["Rewriting", 8, "", "bar"],
  ["Rejected most often by", 9, "left why"],
] : []);
const ROW = 29;
let order = D.rules.map((_, i) => i), sorted = [counted ? 5 : -1, -1];
const highest = COLUMNS.map(([, key]) => D.rules.reduce((max, rule) => Math.max(max, Number(rule[key]) || 0), 0));
function sortBy(key, direction) {
  sorted = [key, direction];
  const text = key === 0 || key === 9;
  const value = key === 2 ? (r) => { const at = D.lines[r[2]]; return at ? at[0] * 1e7 + at[1] : -1; } : (r) => r[key];
  order.sort((a, b) => {
    const x = value(D.rules[a]), y = value(D.rules[b]);
    return direction * (text ? x.localeCompare(y, "en", { numeric: true }) : x - y) || a - b;
  });
  $("table").scrollTop = 0;
  drawHead();
  drawRows();
}
function drawHead() {
  $("table").querySelector("thead").replaceChildren(make("tr", {}, ...COLUMNS.map(([name, key, kind]) => make("th", {
    class: kind || "", "data-key": key,
    "aria-sort": sorted[0] === key ? (sorted[1] > 0 ? "ascending" : "descending") : "none",
    onclick: () => sortBy(key, sorted[0] === key ? -sorted[1] : kind ? 1 : -1),
  }, name + (sorted[0] === key ? (sorted[1] > 0 ? " ↑" : " ↓") : "")))));
}
function drawRows() {
  const area = $("table"), rows = [];
  const first = Math.max(0, Math.floor(area.scrollTop / ROW) - 20);
  const last = Math.min(order.length, first + Math.ceil((area.clientHeight || 800) / ROW) + 40);
  const space = (n) => make("tr", { class: "space" }, make("td", { colspan: COLUMNS.length, style: `height:${n * ROW}px` }));
  if (first) rows.push(space(first));
  for (let i = first; i < last; i++) {
    const rule = order[i], r = D.rules[rule];
    rows.push(make("tr", {}, ...COLUMNS.map(([, key, kind, bar], column) => {
      const cell = make("td", { class: (kind || "") + (bar && r[key] ? " bar" : "") + (!kind && !r[key] ? " zero" : "") });
      if (key === 0) cell.append(ruleLink(rule));
      else if (key === 2) cell.append(place(r[2]));
      else if (key === 7 || key === 8) cell.append(r[key] ? time(r[key]) : "0");
      else if (key === 9) { cell.append(r[9] ? `${r[9]} (${number(r[11])})` : ""); cell.title = r[9] ? `${r[9]}\n${place(r[10])}` : ""; }
      else cell.append(number(r[key]));
      if (bar && r[key]) cell.style.setProperty("--share", (100 * r[key] / highest[column]).toFixed(1) + "%");
      return cell;
    })));
  }
  if (last < order.length) rows.push(space(order.length - last));
  area.querySelector("tbody").replaceChildren(...rows);
}
let waiting = false;
$("table").addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawRows(); });
});
addEventListener("resize", () => { if (!$("rules").hidden) drawRows(); });

// ---- The IR ----
for (const [name, lines, left] of D.ir) {
  const text = make("pre");
  let before = 0;
  for (const [no, content, fired] of lines) {
    if (no > before + 1) text.append(make("div", {}, make("i", {}, "…")));
    before = no;
    const row = make("div", { class: fired.length ? "fired" : "" }, make("i", {}, String(no)), make("span", {}, content));
    for (let i = 0; i < fired.length; i += 2) {
      const a = ruleLink(fired[i]);
      if (fired[i + 1] > 1) a.append(` ×${number(fired[i + 1])}`);
      row.append(a);
    }
    text.append(row);
  }
  if (left) text.append(make("div", {}, make("i", {}, "…"), make("span", {}, `${number(left)} more lines`)));
  $("ir").append(make("h2", {}, name), text);
}

$("details").append(make("p", {}, "Click a node to unfold it, and to see the rules that need this test and their lines. Drag to move the picture; turn the wheel to zoom."));
drawHead();
if (counted) sortBy(...sorted);
if (kids(top_).length === 1 || counted) openHottest();
show("tree");
overview();
