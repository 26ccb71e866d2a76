// The examples: `arith`, `tensor` and `lowering` of the repository's `examples/`, and two small examples to start from.

import arithInput from "../../../examples/arith/input.mlir";
import arithNatives from "../../../examples/arith/natives.rhai";
import arithRules from "../../../examples/arith/rules.td";
import calcOps from "../../../examples/lowering/CalcOps.td";
import machOps from "../../../examples/lowering/MachOps.td";
import loweringInput from "../../../examples/lowering/input.mlir";
import loweringRules from "../../../examples/lowering/rules.td";
import tileOps from "../../../examples/tensor/TileOps.td";
import tensorInput from "../../../examples/tensor/input.mlir";
import tensorRules from "../../../examples/tensor/rules.td";
import firstInput from "./examples/first.mlir";
import firstRules from "./examples/first.td";
import pdlInput from "./examples/pdl-input.mlir";
import pdlRules from "./examples/pdl.mlir";

const example = (title, files, input) => ({
  title, files: Object.entries(files).map(([name, text]) => ({ name, text })), input: { name: "input.mlir", text: input },
});

export const EXAMPLES = {
  first: example("A first look", { "rules.td": firstRules }, firstInput),
  arith: example("Arithmetic identities", { "rules.td": arithRules, "natives.rhai": arithNatives }, arithInput),
  tensor: example("Reshapes and transposes", { "rules.td": tensorRules, "TileOps.td": tileOps }, tensorInput),
  lowering: example("A lowering", { "rules.td": loweringRules, "CalcOps.td": calcOps, "MachOps.td": machOps }, loweringInput),
  pdl: example("Rules in the pdl dialect", { "rules.mlir": pdlRules }, pdlInput),
};

/** The settings that the page starts with. */
export const DEFAULTS = { driver: "greedy", traversal: "bottom-up", generic: false };

/** The request to compile rules and to rewrite an input. */
export const runRequest = ({ files, input, settings = DEFAULTS }) => ({ type: "run", files, input, settings });
