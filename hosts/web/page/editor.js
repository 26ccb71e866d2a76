// The editors: highlighting, errors as wavy underlines, marks beside lines.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, GutterMarker, drawSelection, gutter, highlightActiveLine, highlightActiveLineGutter, keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--card)", color: "var(--text)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "34px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 9%, transparent)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent) !important",
  },
  ".cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--good) 25%, transparent) !important" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--card)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button": { fontFamily: "inherit" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--ground)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--ground)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-tooltip": { borderRadius: "8px", boxShadow: "0 6px 24px #0003", maxWidth: "min(640px, 90vw)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", font: "12.5px/1.5 var(--mono)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--pick)", color: "var(--text)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad) 1.5px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--hot) 1.5px", textUnderlineOffset: "3px" },
  ".cm-diff-add": { backgroundColor: "color-mix(in srgb, var(--good) 18%, transparent)" },
  ".cm-diff-remove": { backgroundColor: "color-mix(in srgb, var(--bad) 16%, transparent)" },
  ".cm-diff-head": { color: "var(--soft)", backgroundColor: "var(--ground)" },
  ".cm-ran": { backgroundColor: "color-mix(in srgb, var(--accent) 16%, transparent)", boxShadow: "inset 3px 0 var(--accent)" },
  ".cm-fired": { color: "var(--good)", cursor: "pointer", fontSize: "11px", padding: "0 2px" },
});
const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.keyword, color: "var(--keyword)" },
  { tag: tags.modifier, color: "var(--keyword)", fontStyle: "italic" },
  { tag: tags.typeName, color: "var(--type)" },
  { tag: tags.variableName, color: "var(--variable)" },
  { tag: tags.labelName, color: "var(--hot)" },
  { tag: tags.definition(tags.variableName), color: "var(--good)" },
  { tag: tags.operator, color: "var(--keyword)" },
  { tag: tags.meta, color: "var(--soft)" },
]);

class Fired extends GutterMarker {
  constructor(title) { super(); this.title = title; }
  eq(other) { return other.title === this.title; }
  toDOM() { return Object.assign(document.createElement("span"), { className: "cm-fired", textContent: "●", title: this.title }); }
}

/** Replaces the marks beside lines: pairs of a line number and a title, in order. */
const setFired = StateEffect.define();
const fired = StateField.define({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setFired)) continue;
      const lines = effect.value.filter(([line]) => line <= transaction.state.doc.lines);
      return RangeSet.of(lines.map(([line, title]) => new Fired(title).range(transaction.state.doc.line(line).from)));
    }
    return marks.map(transaction.changes);
  },
});

/** Replaces the colours of whole lines: pairs of a line number and a class, in order. */
const setLines = StateEffect.define();
const lines = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setLines)) {
        return Decoration.set(effect.value.map(([line, name]) => Decoration.line({ class: name }).range(transaction.state.doc.line(line).from)));
      }
    }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const common = [
  drawSelection(), bracketMatching(), highlightSelectionMatches(), search({ top: true }), theme,
  syntaxHighlighting(colours), lines,
];

/** The state of an editor. `keys` come before the usual keys; `onUpdate` gets every update. */
export function editable(text, language, { keys, onUpdate, marks, label }) {
  return EditorState.create({
    doc: text,
    extensions: [
      // The spacer keeps the width when there are no marks.
      marks ? [fired, gutter({ class: "cm-fired-gutter", markers: (view) => view.state.field(fired), initialSpacer: () => new Fired("") })] : [],
      lineNumbers(), common, history(), highlightActiveLine(), highlightActiveLineGutter(), lintGutter(), language,
      keymap.of([...keys, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
      EditorView.updateListener.of(onUpdate),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
    ],
  });
}
/** The state of a text that cannot be changed. */
export function readOnly(text, language, label, { numbered = false } = {}) {
  return EditorState.create({
    doc: text,
    extensions: [
      numbered ? lineNumbers() : [], common, language, EditorState.readOnly.of(true), EditorView.editable.of(false),
      keymap.of([...defaultKeymap, ...searchKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    ],
  });
}

/** Underlines the places of diagnostics that are in this file. */
export function withDiagnostics(state, name, diagnostics) {
  const { doc } = state;
  const at = ([line, column]) => {
    const of = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return Math.min(of.from + column, of.to);
  };
  const list = [];
  for (const { severity, message, labels, notes, help } of diagnostics) {
    labels.forEach((label, i) => {
      if (label.file !== name) return;
      let [from, to] = [at(label.start), at(label.end)];
      // An empty range is invisible.
      if (to <= from) [from, to] = [Math.max(doc.lineAt(from).from, from === doc.lineAt(from).to ? from - 1 : from), Math.min(doc.length, from + 1)];
      const text = i === 0 ? [message, label.text, ...notes.map((note) => "note: " + note.text), ...help.map((text) => "help: " + text)] : [label.text, message];
      list.push({ from, to, severity: severity === "note" ? "info" : severity, message: text.filter(Boolean).join("\n") });
    });
  }
  list.sort((a, b) => a.from - b.from);
  return setDiagnostics(state, list);
}
export const markFired = (marks) => ({ effects: setFired.of(marks) });
export const colourLines = (classes) => ({ effects: setLines.of(classes) });
export { EditorView };
