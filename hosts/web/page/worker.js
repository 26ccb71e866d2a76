// Runs the engine beside the page, so that the page stays usable. The first message is `{module, limit}` or `{failure}`,
// and each later one `{id, request}`; its answer is `{id, answer}` or `{id, failed, message}`.

import { Instance } from "./instance.js";

let begin;
const begun = new Promise((resolve) => { begin = resolve; });
let instance = begun.then(create);

function create({ module, limit, failure }) {
  if (failure) throw new Error(failure);
  return Instance.create(module, limit);
}

onmessage = async ({ data }) => {
  if (!data.request) return begin(data);
  const { id, request } = data;
  let engine;
  try {
    engine = await instance;
  } catch (error) {
    postMessage({ id, failed: "load", message: `the engine cannot be loaded: ${error.message}` });
    return;
  }
  try {
    postMessage({ id, answer: engine.answer(request) });
  } catch (error) {
    const [failed, message] = engine.reason(error);
    postMessage({ id, failed, message });
    instance = begun.then(create);
  }
};
