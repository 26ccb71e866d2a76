// Draws a decision tree, for several pages. `mod.rs` creates the data.

const [KIND, LABEL, COUNT, RULE, EDGES, ASKS, MORE] = [0, 1, 2, 3, 4, 5, 6];
const LEAF = 3;
const PAGE = 40, WIDE = 300, HIGH = 48, BOX = 270, TALL = 38;
const SVG = ["g", "rect", "text", "path", "title", "tspan"];

export function make(name, attributes, ...children) {
  const e = SVG.includes(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== undefined) e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}
export const number = (n) => n.toLocaleString("en-US");
export const times = (n) => number(n) + (n === 1 ? " time" : " times");
export const cut = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;
/** The text of a place: `rules.td:3`. */
export const place = (D, line) => line < 0 ? "" : D.files[D.lines[line][0]] + ":" + D.lines[line][1];

/** True if the page is in a frame on a dark background, as in a dark notebook; undefined outside a frame. */
function isFramedInDark() {
  for (let around = window.frameElement; around; around = around.parentElement) {
    const [red, green, blue, opacity = 1] = getComputedStyle(around).backgroundColor.match(/[\d.]+/g).map(Number);
    if (opacity > 0) return red + green + blue < 384;
  }
}
/** Selects light or dark: the choice of the user, or else that of the frame or the system. */
export function themeButton(button, stored) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = (on) => document.documentElement.setAttribute("data-theme", on ? "dark" : "light");
  const choice = stored?.get();
  theme(choice ? choice === "dark" : isFramedInDark() ?? dark.matches);
  dark.addEventListener("change", (e) => theme(e.matches));
  button.onclick = () => {
    const on = document.documentElement.getAttribute("data-theme") !== "dark";
    theme(on);
    stored?.set(on ? "dark" : "light");
  };
}

/** A search for rules by name: `data()` returns the rules, and `choose` is called with the index of a rule. */
export function ruleSearch(input, list, data, choose) {
  const pick = (rule) => { list.hidden = true; choose(rule); };
  input.addEventListener("input", () => {
    const D = data(), wanted = input.value.trim().toLowerCase(), found = [];
    for (let i = 0; wanted && i < D.rules.length && found.length < 14; i++) {
      if (D.rules[i][0].toLowerCase().includes(wanted)) found.push(i);
    }
    list.replaceChildren(...found.map((rule, i) => make("li", {
      class: i ? "" : "first", "data-rule": rule, onclick: () => pick(rule),
    }, D.rules[rule][0], make("small", {}, place(D, D.rules[rule][2])))));
    list.hidden = !found.length;
  });
  input.addEventListener("keydown", (e) => {
    const first = list.querySelector("li");
    if (e.key === "Enter" && first) pick(Number(first.dataset.rule));
    if (e.key === "Escape") list.hidden = true;
  });
  document.addEventListener("click", (e) => { if (!e.target.closest(".search")) list.hidden = true; });
}

/**
 * A tree that unfolds on demand. An item is a path to a node; a node with several parents has several items.
 *
 * `elements` are `picture` (the svg), `world` (its group), `scale` and `details`. `onPlace(file, line)` is called when
 * the user selects a line of the rules; without it, lines are text.
 */
export class TreeView {
  constructor(elements, { onPlace } = {}) {
    Object.assign(this, elements);
    this.onPlace = onPlace;
    this.view = { x: 20, y: 60, k: 1 };
    this.marked = new Set();
    this.markedEdges = new Set();
    this.dragged = false;
    this.#listen();
  }

  /** Shows the data of a page. */
  show(D) {
    this.D = D;
    this.counted = D.counted;
    this.hottest = D.nodes.reduce((max, node) => Math.max(max, node[COUNT]), 1);
    this.top = { node: -1, edge: "", depth: 0, open: true, kids: null, parent: null, limit: PAGE };
    this.picked = null;
    this.paths = null;
    this.marked = new Set();
    this.markedEdges = new Set();
  }

  // ---- Items ----
  #edges(node) {
    const { D } = this, list = [];
    const flat = node < 0 ? D.roots : D.nodes[node][EDGES];
    for (let i = 0; i < flat.length; i += 2) list.push([D.labels[flat[i]], flat[i + 1]]);
    return list;
  }
  kids(item) {
    if (item.kids) return item.kids;
    item.kids = this.#edges(item.node).map(([edge, node]) => (
      { node, edge, depth: item.depth + 1, open: false, kids: null, parent: item, limit: PAGE }));
    if (this.counted && (item.node < 0 || item.kids.length > PAGE)) {
      item.kids.sort((a, b) => this.D.nodes[b.node][COUNT] - this.D.nodes[a.node][COUNT]);
    }
    return item.kids;
  }
  #shown(item) {
    if (!item.open) return [];
    const all = this.kids(item);
    if (all.length <= item.limit) return all;
    const rest = all.length - item.limit;
    return [...all.slice(0, item.limit), { more: rest, parent: item, depth: item.depth + 1, open: false }];
  }

  // ---- Drawing ----
  #layout() {
    // Place children before parents: each leaf gets a row, and a parent is centred on its children.
    let row = 0;
    const order = [];
    const stack = [[this.top, false]];
    while (stack.length) {
      const [item, done] = stack.pop();
      if (done) {
        const below = item.below;
        item.y = below.length ? (below[0].y + below[below.length - 1].y) / 2 : row++ * HIGH;
        item.x = (item.depth - 1) * WIDE;
        order.push(item);
        continue;
      }
      item.below = this.#shown(item);
      stack.push([item, true]);
      for (let i = item.below.length - 1; i >= 0; i--) stack.push([item.below[i], false]);
    }
    return order;
  }
  #heat(count) {
    return this.counted && count > 0 ? Math.log(1 + count) / Math.log(1 + this.hottest) : 0;
  }
  #isMarked(item) {
    if (item.more || !this.marked.has(item.node)) return false;
    if (item.parent === this.top) return !this.markedEdges.has(`to ${item.node}`);
    return this.markedEdges.has(`${item.parent.node} ${item.node}`) && this.#isMarked(item.parent);
  }
  draw() {
    const lines = [], boxes = [];
    for (const item of this.#layout().filter((item) => item !== this.top)) {
      const { x, y } = item;
      if (item.parent !== this.top) {
        const px = item.parent.x + BOX, py = item.parent.y + TALL / 2, cy = y + TALL / 2, mid = (px + x) / 2;
        const warm = item.more ? 0 : this.#heat(this.D.nodes[item.node][COUNT]);
        const line = make("path", {
          d: `M${px} ${py}C${mid} ${py} ${mid} ${cy} ${x} ${cy}`, class: this.#isMarked(item) ? "marked" : undefined,
        });
        if (warm > 0 && !this.#isMarked(item)) line.setAttribute("style", `stroke: color-mix(in srgb, var(--hot) ${Math.round(100 * warm)}%, var(--line))`);
        lines.push(line);
      }
      boxes.push(item.more ? this.#moreBox(item) : this.#box(item));
    }
    this.world.replaceChildren(...lines, ...boxes);
    this.#look();
  }
  #box(item) {
    const { D, counted } = this, node = D.nodes[item.node];
    const share = Math.round(60 * this.#heat(node[COUNT]));
    const expands = node[EDGES].length > 0;
    const label = D.labels[node[LABEL]];
    const kind = [node[KIND] === LEAF && "leaf", item === this.picked && "picked", this.#isMarked(item) && "marked"];
    const g = make("g", {
      class: ["node", ...kind].filter(Boolean).join(" "),
      transform: `translate(${item.x} ${item.y})`, "data-node": item.node, tabindex: 0, role: "button",
      onclick: () => { if (!this.dragged) this.pick(item, true); },
      onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); this.pick(item, true); } },
    },
      make("title", {}, (item.edge ? item.edge + " → " : "") + label),
      make("rect", { width: BOX, height: TALL, style: `fill: color-mix(in srgb, var(--hot) ${share}%, var(--card))` }),
      make("text", { class: "edge", x: 10, y: 14 }, cut(item.edge, counted ? 28 : 38)),
      make("text", { x: 10, y: 30 }, cut(label, expands ? 33 : 36)));
    if (counted && node[COUNT] >= 0) g.append(make("text", { class: "count", x: BOX - 10, y: 14 }, number(node[COUNT])));
    if (expands) g.append(make("text", { class: "sign", x: BOX - 18, y: 30 }, item.open ? "−" : "+"));
    return g;
  }
  #moreBox(item) {
    const grow = () => { if (!this.dragged) { item.parent.limit += 5 * PAGE; this.draw(); } };
    return make("g", { class: "node more", transform: `translate(${item.x} ${item.y})`, tabindex: 0, onclick: grow },
      make("rect", { width: BOX, height: TALL, style: "fill: var(--ground)" }),
      make("text", { x: 10, y: 24 }, `… ${number(item.more)} more`));
  }
  pick(item, toggle) {
    if (toggle && this.D.nodes[item.node][EDGES].length) item.open = !item.open;
    const hadFocus = this.world.contains(document.activeElement);
    this.picked = item;
    this.showNode(item.node);
    const before = item.y;
    this.draw();
    // The clicked node keeps its place on the screen, and the focus.
    if (toggle) { this.view.y += this.view.k * (before - item.y); this.#look(); }
    if (hadFocus) this.world.querySelector(".picked")?.focus({ preventScroll: true });
  }

  // ---- The view ----
  #look() {
    const { x, y, k } = this.view;
    this.world.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
    this.scale.textContent = Math.round(100 * k) + " %";
  }
  zoom(by, cx, cy) {
    const { view } = this, r = this.picture.getBoundingClientRect();
    const x = cx ?? r.width / 2, y = cy ?? r.height / 2;
    const k = Math.min(4, Math.max(0.03, view.k * by));
    this.view = { x: x - (x - view.x) * k / view.k, y: y - (y - view.y) * k / view.k, k };
    this.#look();
  }
  fit() {
    const b = this.world.getBBox(), r = this.picture.getBoundingClientRect();
    if (!b.width || !r.width) return;
    const k = Math.min(1, (r.width - 40) / b.width, (r.height - 80) / b.height);
    this.view = { k, x: (r.width - b.width * k) / 2 - b.x * k, y: 60 - b.y * k };
    this.#look();
  }
  /** Shows the whole tree, or, if that is too small to read, the surroundings of the first root. */
  overview() {
    this.fit();
    const first = this.kids(this.top)[0];
    if (this.view.k >= 0.6 || !first) return;
    const k = 0.8, middle = this.picture.getBoundingClientRect().height / 2;
    this.view = { k, x: 20, y: Math.min(60, middle - k * first.y) };
    this.#look();
  }
  center(item) {
    const r = this.picture.getBoundingClientRect();
    this.view = { k: 1, x: r.width * 0.72 - item.x - BOX / 2, y: r.height / 2 - item.y };
    this.#look();
  }
  #listen() {
    let from = null;
    this.picture.addEventListener("pointerdown", (e) => {
      from = [e.clientX, e.clientY, this.view.x, this.view.y];
      this.dragged = false;
    });
    addEventListener("pointermove", (e) => {
      if (!from) return;
      const dx = e.clientX - from[0], dy = e.clientY - from[1];
      if (!this.dragged && Math.abs(dx) + Math.abs(dy) < 5) return;
      this.dragged = true;
      this.picture.classList.add("dragged");
      this.view.x = from[2] + dx;
      this.view.y = from[3] + dy;
      this.#look();
    });
    addEventListener("pointerup", () => {
      from = null;
      this.picture.classList.remove("dragged");
      setTimeout(() => { this.dragged = false; });
    });
    this.picture.addEventListener("wheel", (e) => {
      e.preventDefault();
      const r = this.picture.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top);
    }, { passive: false });
  }

  // ---- Unfolding ----
  fold() {
    for (const kid of this.kids(this.top)) { kid.open = false; kid.kids = null; }
  }
  openHottest() {
    const hotter = (best, kid) => !best || this.D.nodes[kid.node][COUNT] > this.D.nodes[best.node][COUNT] ? kid : best;
    let item = this.top;
    for (let depth = 0; depth < 40; depth++) {
      item.open = true;
      const next = this.kids(item).reduce(hotter, null);
      if (!next || !this.D.nodes[next.node][EDGES].length) break;
      item = next;
    }
  }
  /** Unfolds and marks a part of the tree: its nodes, and its edges as pairs of nodes. */
  mark(nodes, edges) {
    this.marked = new Set(nodes);
    this.markedEdges = new Set(edges.flatMap(([from, to]) => [`${from} ${to}`, `to ${to}`]));
    this.fold();
    let last = null;
    const open = [this.top];
    for (let i = 0; i < open.length && i < 500; i++) {
      const below = this.kids(open[i]).filter((kid) => this.#isMarked(kid));
      open[i].open = open[i] === this.top || below.length > 0;
      for (const kid of below) this.#bringIntoView(open[i], kid);
      open.push(...below);
      last = open[i];
    }
    this.draw();
    return last !== this.top;
  }
  #bringIntoView(parent, kid) {
    const all = this.kids(parent), at = all.indexOf(kid);
    if (at >= parent.limit) all.unshift(...all.splice(at, 1));
  }
  #pathTo(rule) {
    if (!this.paths) {
      const from = new Map(), leaf = new Map(), queue = [];
      const reach = (node, by) => { if (!from.has(node)) { from.set(node, by); queue.push(node); } };
      for (const [, node] of this.#edges(-1)) reach(node, -1);
      for (let i = 0; i < queue.length; i++) {
        const node = this.D.nodes[queue[i]];
        if (node[RULE] >= 0 && !leaf.has(node[RULE])) leaf.set(node[RULE], queue[i]);
        for (let j = 1; j < node[EDGES].length; j += 2) reach(node[EDGES][j], queue[i]);
      }
      this.paths = { from, leaf };
    }
    const path = [];
    for (let node = this.paths.leaf.get(rule); node !== undefined && node >= 0; node = this.paths.from.get(node)) path.unshift(node);
    return path;
  }
  /** Unfolds the path to the leaf of a rule, and selects the leaf. */
  reveal(rule) {
    let item = this.top;
    for (const node of this.#pathTo(rule)) {
      item.open = true;
      const kid = this.kids(item).find((kid) => kid.node === node);
      this.#bringIntoView(item, kid);
      item = kid;
    }
    if (item === this.top) {
      this.details.replaceChildren(make("h2", {}, this.D.rules[rule][0]),
        make("p", {}, "The tree has no leaf for this rule, because it can never match or another rule is always applied first."), ...this.#rule(rule));
      return;
    }
    this.pick(item, false);
    this.center(item);
  }

  // ---- Details ----
  /** A line of the rules: its place and text. */
  line(index) {
    const { D } = this, at = D.lines[index];
    if (!at) return [];
    return [make("div", { class: "place" }, ...this.placeOf(index)), make("code", {}, at[2])];
  }
  /** The place of a line, as a link if the page can show it. */
  placeOf(index) {
    const { D } = this, at = D.lines[index];
    if (!at || !this.onPlace) return [place(D, index)];
    const go = (e) => { e.preventDefault(); this.onPlace(D.files[at[0]], at[1]); };
    return [make("a", { href: "#", onclick: go }, place(D, index))];
  }
  ruleLink(rule) {
    return make("a", { href: "#", onclick: (e) => { e.preventDefault(); this.onRule(rule); } }, this.D.rules[rule][0]);
  }
  /** Called when the user selects a rule. */
  onRule(rule) { this.reveal(rule); }
  showNode(index) {
    const { D, counted } = this, node = D.nodes[index], list = make("ol");
    for (let i = 0; i < node[ASKS].length; i += 2) {
      list.append(make("li", {}, this.ruleLink(node[ASKS][i]), ...this.line(node[ASKS][i + 1])));
    }
    const label = D.labels[node[LABEL]];
    const parts = [make("h2", {}, label)];
    if (counted && node[COUNT] >= 0) {
      parts.push(make("p", {}, `Reached ${times(node[COUNT])}, ${(100 * node[COUNT] / this.hottest).toFixed(1)} % of the hottest node.`));
    }
    for (const name of new Set(label.match(/snippet\d+/g) || [])) {
      parts.push(make("div", { class: "place" }, name), make("code", {}, D.snippets[name] ?? ""));
    }
    if (node[RULE] >= 0) parts.push(...this.#rule(node[RULE]));
    else if (node[ASKS].length) parts.push(make("p", {}, "Tested for:"));
    parts.push(list);
    if (node[MORE] > 0) parts.push(make("p", {}, `and ${number(node[MORE])} more rules`));
    this.details.replaceChildren(...parts);
  }
  #rule(rule) {
    const r = this.D.rules[rule];
    const parts = [make("p", {}, `${r[0]}, benefit ${r[1]}.`), ...this.line(r[2])];
    if (this.counted) {
      parts.push(make("p", {}, `Tried ${times(r[3])}, matched ${times(r[4])}, fired ${times(r[5])}, rolled back ${times(r[6])}.`));
      if (r[9]) parts.push(make("p", {}, `Rejected ${times(r[11])} by:`), make("code", {}, r[9]), ...this.line(r[10]));
    }
    return parts;
  }
}
