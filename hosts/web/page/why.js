// The view of an explanation: for each operation, the rules that could match it and their tests.

import { make, number } from "../../../src/report/page/tree.js";

const VERDICTS = {
  fires: ["fires", "good"], fails: ["does not match", "bad"], outranked: ["matches, but is not tried", "soft"],
  refuses: ["matches, but cannot rewrite", "warm"], "left out": ["is left out", "warm"],
};

function place(text, onPlace) {
  const at = /^(.*):(\d+):(\d+)$/.exec(text);
  if (!at) return text;
  return make("a", { href: "#", onclick: (e) => { e.preventDefault(); onPlace(at[1], Number(at[2])); } }, `${at[1]}:${at[2]}`);
}
function detail(rule) {
  if (rule.verdict === "outranked" && rule.by) return [`${rule.by} is tried first`];
  if (rule.verdict === "refuses") return [rule.why];
  if (rule.verdict === "left out") return ["missing natives: " + rule.natives.join(", ")];
  return [];
}
/** The line of a place, without the column. */
const lineOf = (place) => place.replace(/:\d+$/, "");
function ruleCard(rule, onPlace, open) {
  const [text, kind] = VERDICTS[rule.verdict];
  const steps = rule.tests.map((step) => make("li", { class: step.holds === true ? "good" : step.holds === false ? "bad" : "warm" },
    make("span", { class: "mark", role: "img", "aria-label": step.holds === true ? "holds" : step.holds === false ? "does not hold" : "unknown" },
      step.holds === true ? "✓" : step.holds === false ? "✗" : "?"),
    make("span", { class: "test" }, step.predicate,
      ...(step.holds === true && step.predicate.includes(step.found) ? [] : [make("span", { class: "found" }, " found ", make("code", {}, step.found))])),
    // Most tests are on the line of the rule, which the heading names.
    ...(lineOf(step.place) === lineOf(rule.place) ? [] : [make("span", { class: "place" }, place(step.place, onPlace))])));
  const left = rule.predicates - rule.tests.length;
  const after = [];
  if (left > 0) after.push(make("p", { class: "soft" }, `${number(left)} more ${left === 1 ? "test was" : "tests were"} not needed.`));
  if (rule.alternatives > 1) after.push(make("p", { class: "soft" }, `The closest of ${number(rule.alternatives)} alternatives.`));
  for (const line of rule.rewrite ?? []) after.push(make("p", { class: "effect" }, "⇒ ", make("code", {}, line)));
  return make("details", { class: "rule " + kind, ...(open ? { open: "" } : {}) },
    make("summary", {}, make("b", {}, rule.rule), make("span", { class: "verdict" }, text), ...detail(rule).map((why) => make("span", { class: "soft" }, why)),
      make("span", { class: "place" }, "benefit ", String(rule.benefit), " · ", place(rule.place, onPlace))),
    make("ol", {}, ...steps), ...after);
}

/** Shows a report. `line` is the line that the report explains; without a line, the report lists the nearest misses. */
export function showReport(element, report, line, onPlace, onInput) {
  const parts = [];
  if (line === null) {
    const missed = report.rules - report.matching;
    parts.push(make("p", { class: "lead" }, missed
      ? `${number(missed)} of ${number(report.rules)} rules match no operation of the input. These pairs of a rule and an operation come closest:`
      : `Each of the ${number(report.rules)} rules matches some operation. Put the cursor on an operation to see the rules there.`));
  } else if (!report.operations.length) {
    parts.push(make("p", { class: "lead" }, `No operation has its name on line ${line}.`));
  }
  for (const op of report.operations) {
    const at = /:(\d+):\d+$/.exec(op.place ?? "");
    const heading = make("h3", {}, ...(at ? [make("a", { href: "#", class: "place", onclick: (e) => { e.preventDefault(); onInput(Number(at[1])); } }, `line ${at[1]}`), " "] : []), make("code", {}, op.operation));
    const order = { fires: 0, refuses: 1, outranked: 2, "left out": 3, fails: 4 };
    const progress = (rule) => rule.tests.length / Math.max(1, rule.predicates);
    const rules = [...op.rules].sort((a, b) => order[a.verdict] - order[b.verdict] || progress(b) - progress(a));
    parts.push(make("article", {}, heading, ...(rules.length
      ? rules.map((rule, i) => ruleCard(rule, onPlace, i < 3 || rule.verdict !== "fails"))
      : [make("p", { class: "soft" }, "No rule has a root that can match this operation.")])));
  }
  if (report.never_started?.length) {
    parts.push(make("p", { class: "soft" }, `No operation has the name of the root of: ${report.never_started.join(", ")}.`));
  }
  if (report.left_out?.length) {
    parts.push(make("p", { class: "soft" }, `Left out, because natives are missing: ${report.left_out.join(", ")}.`));
  }
  element.replaceChildren(...parts);
}
