// Highlighting of TableGen, MLIR, scripts and byte code, by line.

import { StreamLanguage } from "@codemirror/language";

/** Tokens by regular expression, tried in order. */
const language = (rules, comments) => StreamLanguage.define({
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment) {
      if (stream.match(/^.*?\*\//)) state.comment = false;
      else stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (comments && stream.match("/*")) { state.comment = true; return "comment"; }
    for (const [pattern, kind] of rules) if (stream.match(pattern)) return kind;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});
const COMMENT = [/^\/\/.*/, "comment"], STRING = [/^"(?:[^"\\]|\\.)*"?/, "string"], NUMBER = [/^-?(?:0x[\da-fA-F]+|0b[01]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/, "number"];

export const tablegen = language([
  COMMENT, STRING,
  [/^#(?:ifdef|ifndef|else|endif|define)\b.*/, "meta"],
  [/^\[\{|^\}\]/, "string"],
  [/^![a-z]+/, "operator"],
  [/^\$\w+/, "variableName"],
  [/^(?:assert|class|code|def|defm|defset|defvar|deftype|dump|else|false|field|foreach|if|in|include|let|multiclass|then|true)\b/, "keyword"],
  [/^(?:bit|bits|dag|int|list|string)\b/, "typeName"],
  [/^(?:ins|outs|either|variadic|region|replaceWithValue|returnType|location|addBenefit)\b/, "modifier"],
  NUMBER,
  [/^[A-Za-z_]\w*/, null],
], true);

export const mlir = language([
  COMMENT, STRING,
  [/^%[\w$.#-]+/, "variableName"],
  [/^\^[\w$.-]+/, "labelName"],
  [/^@(?:[\w$.-]+|"[^"]*")/, "definition"],
  [/^[#!][\w$.-]+/, "typeName"],
  [/^@@.*/, "meta"],
  [/^(?:[su]?i\d+|b?f\d+\w*|index|none|tensor|memref|vector|tuple|complex)\b/, "typeName"],
  [/^(?:true|false|unit|dense|loc|module|attributes|affine_map|affine_set)\b/, "modifier"],
  [/^[A-Za-z_][\w$]*(?:\.[\w$]+)+/, "keyword"],
  NUMBER,
  [/^->/, "operator"],
  [/^[A-Za-z_][\w$]*/, null],
]);

export const script = language([
  COMMENT, STRING,
  [/^(?:let|const|if|else|while|loop|for|in|return|throw|fn|true|false|switch)\b/, "keyword"],
  [/^(?:constraint|rewrite|type_inference)\b/, "modifier"],
  NUMBER,
  [/^[A-Za-z_]\w*/, null],
], true);

export const bytecode = language([
  COMMENT, STRING,
  [/^->\d+/, "labelName"],
  [/^@[\w$.<>-]+/, "definition"],
  [/^(?:op|question|call|snippet|local)\d+/, "variableName"],
  [/^[a-z_]+(?:\.[a-z_]+)*/, "keyword"],
  NUMBER,
]);

/** The language of a file, by its name. */
export function languageOf(name) {
  if (name.endsWith(".td")) return tablegen;
  return name.endsWith(".rhai") ? script : mlir;
}
