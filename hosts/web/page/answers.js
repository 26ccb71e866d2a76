// Prints the engine's answers for the examples when the page is built: `node answers.js drrvm.wasm`. The page shows
// them while the engine starts.

import { readFileSync } from "node:fs";
import { EXAMPLES, runRequest } from "./examples.js";
import { Instance } from "./instance.js";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const instance = await Instance.create(module, 1024);
const answers = {};
for (const [name, example] of Object.entries(EXAMPLES)) {
  answers[name] = JSON.parse(instance.answer(JSON.stringify(runRequest(example))));
  if (!answers[name].page) throw new Error(`example ${name}: ${JSON.stringify(answers[name])}`);
}
console.log(JSON.stringify(answers));
