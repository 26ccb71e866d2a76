// The table of rules. Rows are created when they come into view.

import { make, number, place } from "./tree.js";

const ROW = 29;
const time = (ns) => ns >= 1e6 ? (ns / 1e6).toFixed(1) + " ms" : ns >= 1e3 ? (ns / 1e3).toFixed(1) + " µs" : ns + " ns";

/** A table in the scrolling element `area`. `tree` shows the rule that the user selects. */
export class RuleTable {
  constructor(area, tree) {
    this.area = area;
    this.tree = tree;
    let waiting = false;
    area.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; this.draw(); });
    });
    addEventListener("resize", () => this.draw());
  }

  /**
   * Shows the data of a page. If the data has counts, the rules that fired most often come first. `timed` is true if
   * the data has times.
   */
  show(D, timed) {
    this.D = D;
    const times = timed ? [["Matching", 7, "", "bar"], ["Rewriting", 8, "", "bar"]] : [];
    this.columns = [["Rule", 0, "left"], ["Benefit", 1], ["Where", 2, "left"]].concat(D.counted ? [
      ["Tried", 3], ["Matched", 4], ["Fired", 5, "", "bar"], ["Rolled back", 6], ...times,
      ["Rejected most often by", 9, "left why"],
    ] : []);
    this.order = D.rules.map((_, i) => i);
    this.highest = this.columns.map(([, key]) => D.rules.reduce((max, rule) => Math.max(max, Number(rule[key]) || 0), 0));
    if (D.counted) this.#sortBy(5, -1);
    else { this.sorted = [-1, -1]; this.#drawHead(); this.draw(); }
  }
  #sortBy(key, direction) {
    const { D } = this;
    this.sorted = [key, direction];
    const text = key === 0 || key === 9;
    const value = key === 2 ? (r) => { const at = D.lines[r[2]]; return at ? at[0] * 1e7 + at[1] : -1; } : (r) => r[key];
    this.order.sort((a, b) => {
      const x = value(D.rules[a]), y = value(D.rules[b]);
      return direction * (text ? x.localeCompare(y, "en", { numeric: true }) : x - y) || a - b;
    });
    this.area.scrollTop = 0;
    this.#drawHead();
    this.draw();
  }
  #drawHead() {
    const { sorted } = this;
    this.area.querySelector("thead").replaceChildren(make("tr", {}, ...this.columns.map(([name, key, kind]) => {
      const sort = () => this.#sortBy(key, sorted[0] === key ? -sorted[1] : kind ? 1 : -1);
      return make("th", {
        class: kind || "", "data-key": key, tabindex: 0, onclick: sort,
        "aria-sort": sorted[0] === key ? (sorted[1] > 0 ? "ascending" : "descending") : "none",
        onkeydown: (e) => { if (e.key === "Enter") sort(); },
      }, name + (sorted[0] === key ? (sorted[1] > 0 ? " ↑" : " ↓") : ""));
    })));
  }
  draw() {
    const { D, area, order, columns, tree } = this;
    if (!D || !area.offsetParent) return;
    const rows = [];
    const first = Math.max(0, Math.floor(area.scrollTop / ROW) - 20);
    const last = Math.min(order.length, first + Math.ceil((area.clientHeight || 800) / ROW) + 40);
    const space = (n) => make("tr", { class: "space" }, make("td", { colspan: columns.length, style: `height:${n * ROW}px` }));
    if (first) rows.push(space(first));
    for (let i = first; i < last; i++) {
      const rule = order[i], r = D.rules[rule];
      rows.push(make("tr", {}, ...columns.map(([, key, kind, bar], column) => {
        const cell = make("td", { class: (kind || "") + (bar && r[key] ? " bar" : "") + (!kind && !r[key] ? " zero" : "") });
        if (key === 0) cell.append(tree.ruleLink(rule));
        else if (key === 2) cell.append(...tree.placeOf(r[2]));
        else if (key === 7 || key === 8) cell.append(r[key] ? time(r[key]) : "0");
        else if (key === 9) { cell.append(r[9] ? `${r[9]} (${number(r[11])})` : ""); cell.title = r[9] ? `${r[9]}\n${place(D, r[10])}` : ""; }
        else cell.append(number(r[key]));
        if (bar && r[key]) cell.style.setProperty("--share", (100 * r[key] / this.highest[column]).toFixed(1) + "%");
        return cell;
      })));
    }
    if (last < order.length) rows.push(space(order.length - last));
    area.querySelector("tbody").replaceChildren(...rows);
  }
}
