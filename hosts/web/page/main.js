// The page: editors, views, and the requests between them and the engine.

import ANSWERS from "answers";
import { RuleTable } from "../../../src/report/page/table.js";
import { TreeView, make, number, ruleSearch, themeButton } from "../../../src/report/page/tree.js";
import { EditorView, colourLines, editable, markFired, readOnly, withDiagnostics } from "./editor.js";
import { Engine, fetched } from "./engine.js";
import { DEFAULTS, EXAMPLES, runRequest } from "./examples.js";
import { bytecode, languageOf, mlir } from "./languages.js";
import { fromFragment, toFragment } from "./link.js";
import { showReport } from "./why.js";

const $ = (id) => document.getElementById(id);
const DELAY = 250;
const stored = (key) => ({
  get: () => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (value) => { try { localStorage.setItem(key, value); } catch { /* The browser stores nothing. */ } },
});
const delayed = (run, delay) => {
  let timer;
  const later = () => { clearTimeout(timer); timer = setTimeout(run, delay); };
  return Object.assign(later, { now: () => { clearTimeout(timer); run(); } });
};

// ---- State ----
// The texts are in the states of the editors. `files[0]` is the rule file.
let files = [], shownFile = 0, input = null;
let example = "first", untouched = true;
let settings = DEFAULTS;
let diagnostics = [], page = null, result = null, selected = null, code = null, trace = null;
let runs = 0, ready = false;

// ---- Editors ----
const keys = [
  { key: "Mod-Enter", run: () => { show("result"); run.now(); return true; } },
  { key: "Mod-.", run: () => { show("why"); explainCursor.now(); return true; } },
];
const rulesEditor = new EditorView({ parent: $("rules-editor") });
const inputEditor = new EditorView({ parent: $("input-editor") });
const resultView = new EditorView({ parent: $("result-view") });
const codeView = new EditorView({ parent: $("code-view") });

function changed() {
  if (untouched) { untouched = false; $("example").value = ""; }
  run();
  remember();
}
function newState(file, marks, onSelect) {
  return editable(file.text, languageOf(file.name), {
    keys, marks, label: file.name,
    onUpdate: (update) => {
      if (update.docChanged) changed();
      if (onSelect && (update.selectionSet || update.docChanged)) onSelect(update);
    },
  });
}
// Half of a surrogate pair cannot be encoded in UTF-8.
const text = (state) => { const text = state.doc.toString(); return text.toWellFormed?.() ?? text; };
const textOf = (file, i) => ({ name: file.name, text: text(i === shownFile ? rulesEditor.state : file.state) });
const currentFiles = () => files.map(textOf);
const currentInput = () => ({ name: input.name, text: text(inputEditor.state) });

function open(state) {
  files = state.files.map((file) => ({ name: file.name, state: newState(file) }));
  input = { name: state.input.name };
  settings = { ...settings, ...state.settings };
  for (const id of ["driver", "traversal"]) $(id).value = settings[id];
  $("generic").checked = settings.generic;
  $("input-name").replaceChildren(make("button", { role: "tab", "aria-selected": true, tabindex: 0 }, input.name));
  shownFile = 0;
  rulesEditor.setState(files[0].state);
  inputEditor.setState(newState(state.input, true, (update) => {
    const line = update.state.doc.lineAt(update.state.selection.main.head).number;
    if (line !== selected || update.docChanged) { selected = line; explainCursor(); }
  }));
  selected = state.line ?? null;
  if (selected) moveTo(inputEditor, selected, false);
  drawFiles();
  run.now();
}
function openExample(name) {
  example = EXAMPLES[name] ? name : "first";
  untouched = true;
  $("example").value = example;
  open({ ...EXAMPLES[example], settings: DEFAULTS });
}
function moveTo(editor, line, focus = true) {
  const { doc } = editor.state, at = doc.line(Math.min(Math.max(1, line), doc.lines));
  editor.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
  if (focus) editor.focus();
}
function goTo(name, line) {
  if (name === input.name) return moveTo(inputEditor, line);
  const file = files.findIndex((file) => file.name === name);
  if (file < 0) { say(`${name} is part of the headers that come with drrvm`); return; }
  showFile(file);
  moveTo(rulesEditor, line);
}

// ---- Files ----
function showFile(i) {
  if (i !== shownFile) {
    if (files[shownFile]) files[shownFile].state = rulesEditor.state;
    shownFile = i;
    rulesEditor.setState(files[i].state);
  }
  drawFiles();
}
function drawFiles() {
  const wrong = new Set(diagnostics.filter((d) => d.severity === "error").flatMap((d) => d.labels.slice(0, 1).map((label) => label.file)));
  $("files").replaceChildren(...files.map((file, i) => {
    const tab = make("button", {
      role: "tab", "aria-selected": i === shownFile, tabindex: i === shownFile ? 0 : -1, class: wrong.has(file.name) ? "wrong" : "",
      title: i === 0 ? "The rules. Double-click to rename" : "Double-click to rename", onclick: () => showFile(i), ondblclick: () => rename(i),
    }, file.name);
    if (i > 0) tab.append(make("span", { class: "close", role: "button", "aria-label": `Remove ${file.name}`, title: "Remove", onclick: (e) => { e.stopPropagation(); remove(i); } }, "×"));
    return tab;
  }));
  $("input-name").firstChild?.classList.toggle("wrong", wrong.has(input?.name));
}
function askName(text, old) {
  const name = prompt(text, old)?.trim();
  if (!name || name === old) return null;
  if (!/\.(td|mlir|rhai)$/.test(name)) { alert("The name ends with .td (rules and definitions), .mlir (pdl rules) or .rhai (natives)."); return null; }
  if (name === input.name || files.some((file) => file.name === name)) { alert(`There is already a file ${name}.`); return null; }
  return name;
}
function rename(i) {
  const name = askName("Name of the file", files[i].name);
  if (!name) return;
  const text = textOf(files[i], i).text;
  files[i] = { name, state: newState({ name, text }) };
  if (i === shownFile) rulesEditor.setState(files[i].state);
  drawFiles();
  changed();
}
function remove(i) {
  if (!confirm(`Remove ${files[i].name}?`)) return;
  if (i === shownFile) showFile(0);
  files.splice(i, 1);
  if (shownFile > i) shownFile--;
  drawFiles();
  changed();
}
$("add").onclick = () => {
  const name = askName("Name of the new file (.td, .rhai)", "Ops.td") ?? null;
  if (!name) return;
  files.push({ name, state: newState({ name, text: "" }) });
  showFile(files.length - 1);
  rulesEditor.focus();
  changed();
};

// ---- Views ----
const TABS = [["result", "Result"], ["why", "Why"], ["tree", "Tree"], ["code", "Byte code"], ["rules", "Rules"]];
let shown = "result";
function show(id) {
  shown = id;
  for (const [tab] of TABS) {
    $(tab).hidden = tab !== id;
    $("tab-" + tab).setAttribute("aria-selected", tab === id);
    $("tab-" + tab).tabIndex = tab === id ? 0 : -1;
  }
  if (id === "rules") drawTable();
  if (id === "tree") drawTree();
  if (id === "code") showCode();
  if (id === "why") explainCursor.now();
}
for (const [id, text] of TABS) {
  $("tabs").append(make("button", { id: "tab-" + id, role: "tab", "aria-controls": id, onclick: () => show(id) }, text));
}
/** Arrow keys move between the tabs of a list. */
for (const list of [$("tabs"), $("files")]) {
  list.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    const tabs = [...list.children], at = tabs.indexOf(document.activeElement);
    if (!step || at < 0) return;
    e.preventDefault();
    const next = (at + step + tabs.length) % tabs.length;
    tabs[next].click();
    list.children[next].focus();
  });
}
const tree = new TreeView({ picture: $("picture"), world: $("world"), scale: $("scale"), details: $("details") }, { onPlace: goTo });
tree.onRule = (rule) => { show("tree"); tree.reveal(rule); };
const table = new RuleTable($("table"), tree);
ruleSearch($("search"), $("found"), () => page ?? { rules: [] }, (rule) => tree.onRule(rule));
const tools = {
  in: () => tree.zoom(1.3),
  out: () => tree.zoom(1 / 1.3),
  fit: () => tree.fit(),
  fold: () => { tree.fold(); tree.draw(); tree.overview(); },
  hot: () => { tree.mark([], []); tree.openHottest(); tree.draw(); tree.overview(); },
};
for (const [id, use] of Object.entries(tools)) $(id).onclick = () => { if (page) use(); };

let treeIsNew = false, tableIsNew = false, markedTrace = null;
function drawTree() {
  if (!page) {
    $("world").replaceChildren();
    tree.details.replaceChildren(make("p", {}, "There is no tree, because the rules or the IR have errors."));
    return;
  }
  if (treeIsNew) {
    treeIsNew = false;
    markedTrace = null;
    tree.details.replaceChildren(make("p", {}, "Select a node to unfold it and to see the rules that need this test. Put the cursor on an operation of the IR to see the path that matching takes there."));
    if (tree.kids(tree.top).length === 1 || page.counted) tree.openHottest();
    tree.draw();
    tree.overview();
    markTree();
  } else {
    tree.draw();
    markTree();
  }
}
function drawTable() {
  if (!page || !tableIsNew) return table.draw();
  tableIsNew = false;
  table.show(page, false);
}
/** Marks the path of the selected operation, unless it is marked already. */
function markTree() {
  if (shown !== "tree" || !page || treeIsNew || trace === markedTrace) return;
  markedTrace = trace;
  if (tree.mark(trace?.nodes ?? [], trace?.edges ?? [])) tree.overview();
}

// ---- Messages ----
function say(text, kind = "") {
  $("status").textContent = text;
  $("status").className = kind;
}
function drawMessages(failure) {
  const cards = diagnostics.map((d) => {
    const at = d.labels[0];
    const where = at ? [make("a", { href: "#", onclick: (e) => { e.preventDefault(); goTo(at.file, at.start[0]); } }, `${at.file}:${at.start[0]}`), " "] : [];
    const text = d.rendered.replace(/^[^\n]*\n/, "").replace(/^ *--> [^\n]*\n/, "").trimEnd();
    return make("details", { class: "message " + d.severity, open: "" },
      make("summary", {}, make("b", {}, d.severity), " ", ...where, d.message), make("pre", {}, text));
  });
  if (failure) cards.unshift(make("details", { class: "message error", open: "" }, make("summary", {}, make("b", {}, "error"), " ", failure)));
  $("messages").replaceChildren(...cards);
}
function underline() {
  const update = (editor, name) => editor.dispatch(withDiagnostics(editor.state, name, diagnostics));
  files.forEach((file, i) => {
    if (i === shownFile) update(rulesEditor, file.name);
    else file.state = file.state.update(withDiagnostics(file.state, file.name, diagnostics)).state;
  });
  update(inputEditor, input.name);
}

// ---- The engine ----
const engine = new Engine(fetched(window.engineFile), (busy) => {
  // The page already shows the stored answer of an example.
  if (busy && !engine.isLoaded && result) return;
  $("stop").hidden = !busy;
  if (busy) say(engine.isLoaded ? "Running…" : "The engine is starting…", "busy");
});
$("stop").onclick = () => engine.stop();

const run = delayed(async () => {
  const runNumber = ++runs, start = performance.now(), isWarm = engine.isLoaded;
  const request = runRequest({ files: currentFiles(), input: currentInput(), settings });
  // The answer that the engine gave when the page was built.
  const stored = !isWarm && untouched && isDefault() ? ANSWERS[example] : null;
  ready = false;
  if (stored) draw(stored);
  let answer, failure = null;
  try {
    answer = await engine.ask(request);
    failure = answer.failed;
  } catch (error) {
    failure = error.message;
  }
  if (runNumber !== runs) return;
  const ms = performance.now() - start;
  if (failure) answer = { diagnostics: [] };
  // A stored answer that was right stays on the page, because the user may have selected a part of it.
  if (!stored || answer.result !== stored.result) draw(answer, failure);
  tell(answer, failure, isWarm ? ms : null);
  performance.mark("engine answered");
  document.body.dataset.runs = String(runs);
  document.body.dataset.ms = ms.toFixed(1);
  ready = true;
  explainCursor.now();
}, DELAY);

/** Shows an answer in all views. */
function draw(answer, failure) {
  diagnostics = answer.diagnostics;
  result = answer.page ? answer : null;
  page = answer.page ?? null;
  code = null;
  trace = null;
  treeIsNew = tableIsNew = true;
  drawMessages(failure);
  underline();
  drawFiles();
  drawResult();
  if (page) tree.show(page);
  $("table").hidden = !page;
  // Drawing the table, even if it is hidden, costs a layout of the whole page.
  if (shown === "rules") drawTable();
  if (shown === "tree") drawTree();
  if (shown === "code") showCode();
  tell(answer, failure, null);
  performance.mark("answer shown");
}
/** Shows the number of rewrites or errors; `ms` is null if the time is unknown or includes the start of the engine. */
function tell(answer, failure, ms) {
  const errors = answer.diagnostics.filter((d) => d.severity === "error").length + (failure ? 1 : 0);
  if (errors) say(`${number(errors)} ${errors === 1 ? "error" : "errors"}`, "error");
  else say(`${number(answer.rewrites)} ${answer.rewrites === 1 ? "rewrite" : "rewrites"}` + (ms === null ? "" : ` in ${ms.toFixed(0)} ms`));
}

const explainCursor = delayed(async () => {
  if (!ready) return;
  if (!result) {
    $("why").replaceChildren(make("p", { class: "lead" }, "There is nothing to explain, because the rules or the IR have errors."));
    $("at").textContent = "";
    return;
  }
  const line = selected, of = runs;
  let answer;
  try {
    answer = await engine.ask(line === null ? { type: "explain" } : { type: "explain", line });
  } catch (error) {
    say(error.message, "error");
    return;
  }
  if (of !== runs || line !== selected || answer.failed) return;
  showReport($("why"), answer.report, line, goTo, (line) => moveTo(inputEditor, line));
  const rules = answer.report.operations.flatMap((op) => op.rules);
  const matching = rules.filter((rule) => rule.verdict === "fires").map((rule) => rule.rule);
  $("at").textContent = line === null ? "Put the cursor on an operation to explain it."
    : !answer.report.operations.length ? `No operation on line ${line}`
    : matching.length ? `Line ${line}: ${matching.join(", ")} ${matching.length === 1 ? "matches" : "match"}`
    : rules.length ? `Line ${line}: no rule matches, ${number(rules.length)} tried` : `Line ${line}: no rule for this operation`;
  const { traces } = answer;
  trace = traces.length ? { nodes: traces.flatMap((t) => t.nodes), edges: traces.flatMap((t) => t.edges), instructions: new Set(traces.flatMap((t) => t.instructions)) } : null;
  markTree();
  markCode();
  document.body.dataset.explained = String(line);
}, 60);

// ---- Result ----
const DIFF = { "+": "cm-diff-add", "-": "cm-diff-remove", "@": "cm-diff-head" };
function drawResult() {
  const wanted = document.querySelector("input[name=shown]:checked").value;
  $("result-head").hidden = !result;
  $("result-view").hidden = !result;
  if (!result) {
    inputEditor.dispatch(markFired([]));
    return;
  }
  if (wanted === "diff") {
    const lines = result.diff.split("\n").slice(2);
    const text = result.diff ? lines.join("\n").trimEnd() : "// No rule changes the input.";
    resultView.setState(readOnly(text, mlir, "Changes"));
    const classes = result.diff ? lines.flatMap((line, i) => (DIFF[line[0]] ? [[i + 1, DIFF[line[0]]]] : [])) : [];
    resultView.dispatch(colourLines(classes.filter(([line]) => line <= resultView.state.doc.lines)));
  } else {
    resultView.setState(readOnly(result.result, mlir, "Result", { numbered: true }));
  }
  const fired = page.rules.filter((rule) => rule[5] > 0).sort((a, b) => b[5] - a[5]);
  $("counts").textContent = fired.slice(0, 6).map((rule) => `${rule[0]} ×${number(rule[5])}`).join("  ") + (fired.length > 6 ? `  and ${fired.length - 6} more` : "");
  inputEditor.dispatch(markFired((page.ir[0]?.[1] ?? []).filter(([, , fired]) => fired.length).map(([line, , fired]) => {
    const names = [];
    for (let i = 0; i < fired.length; i += 2) names.push(page.rules[fired[i]][0] + (fired[i + 1] > 1 ? ` ×${fired[i + 1]}` : ""));
    return [line, names.join(", ")];
  })));
}
for (const radio of document.querySelectorAll("input[name=shown]")) radio.onchange = drawResult;
$("copy").onclick = async () => {
  const text = document.querySelector("input[name=shown]:checked").value === "diff" ? result.diff : result.result;
  await copy(text, "Copied");
};
async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    prompt("Copy this text:", text);
  }
}

// ---- Byte code ----
async function showCode() {
  if (!result) { codeView.setState(readOnly("// No byte code, because the rules have errors.", bytecode, "Byte code")); return; }
  if (!code) {
    const of = runs;
    const answer = await engine.ask({ type: "code" }).catch((error) => ({ code: "// " + error.message }));
    if (of !== runs) return;
    code = answer.code ?? "";
    codeView.setState(readOnly(code, bytecode, "Byte code"));
  }
  markCode();
}
function markCode() {
  if (!code) return;
  const lines = code.split("\n");
  const ran = trace ? lines.flatMap((line, i) => (trace.instructions.has(parseInt(line, 10)) && /^\s*\d/.test(line) ? [i + 1] : [])) : [];
  codeView.dispatch(colourLines(ran.map((line) => [line, "cm-ran"])));
  if (ran.length && shown === "code") codeView.dispatch({ effects: EditorView.scrollIntoView(codeView.state.doc.line(ran[0]).from, { y: "start", yMargin: 40 }) });
}

// ---- Links ----
const state = () => (untouched && isDefault() ? { example, line: selected ?? undefined }
  : { files: currentFiles(), input: currentInput(), settings, line: selected ?? undefined });
const isDefault = () => Object.keys(DEFAULTS).every((key) => settings[key] === DEFAULTS[key]);
let fragment = null;
async function link() {
  fragment = await toFragment(state());
  history.replaceState(null, "", location.pathname + location.search + fragment);
}
const remember = delayed(link, 600);
$("share").onclick = async () => {
  await link();
  const size = location.href.length;
  await copy(location.href, size > 8000 ? `Copied a link of ${(size / 1024).toFixed(0)} KiB; some programs shorten long links` : "Link copied");
};
async function openLink() {
  try {
    const state = await fromFragment(location.hash);
    if (state?.example) { openExample(state.example); if (state.line) moveTo(inputEditor, state.line, false); }
    else if (state) { untouched = false; $("example").value = ""; open(state); }
    else openExample("first");
  } catch {
    openExample("first");
    say("The link is damaged, so this is the first example", "error");
  }
}
addEventListener("hashchange", () => { if (location.hash !== fragment) openLink(); });

// ---- Controls ----
$("example").append(make("option", { value: "", hidden: "" }, "Your own"), ...Object.entries(EXAMPLES).map(([name, { title }]) => make("option", { value: name }, title)));
$("example").onchange = () => { openExample($("example").value); link(); };
for (const id of ["driver", "traversal"]) $(id).onchange = () => { settings = { ...settings, [id]: $(id).value }; run.now(); remember(); };
$("generic").onchange = () => { settings = { ...settings, generic: $("generic").checked }; run.now(); remember(); };
$("keys").onclick = () => $("help").showModal();
themeButton($("theme"), stored("theme"));
document.addEventListener("click", (e) => { if (!e.target.closest("#settings")) $("settings").open = false; });
document.addEventListener("keydown", (e) => { if (e.key === "Escape") $("settings").open = false; });

/** The grip between the editors and the views. */
const height = stored("height");
const setHeight = (share) => {
  const value = Math.min(80, Math.max(15, share));
  document.documentElement.style.setProperty("--work", value + "%");
  $("grip").setAttribute("aria-valuenow", Math.round(value));
  height.set(String(value));
};
if (Number(height.get())) setHeight(Number(height.get()));
$("grip").addEventListener("pointerdown", (e) => { $("grip").setPointerCapture(e.pointerId); e.preventDefault(); });
$("grip").addEventListener("pointermove", (e) => { if ($("grip").hasPointerCapture(e.pointerId)) setHeight(100 * e.clientY / innerHeight); });
$("grip").addEventListener("keydown", (e) => {
  const step = { ArrowUp: -5, ArrowDown: 5 }[e.key];
  if (step) { e.preventDefault(); setHeight((Number(height.get()) || 46) + step); }
});

show("result");
openLink();
