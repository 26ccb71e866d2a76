// Runs the engine beside the page, so that the page stays usable. The first message is `{module, limit}` or
// `{failure}`. Each later message is `{id, request}`, and its answer is `{id, answer}` or `{id, failed, message}`.

import { Instance } from "./instance.js";

let begin;
const begun = new Promise((resolve) => { begin = resolve; });
let instance = begun.then(create);

function create({ module, limit, failure }) {
  if (failure) throw new Error(failure);
  return Instance.create(module, limit);
}

/** The number of additional runs of the first request. */
const WARM_UPS = 3;
/** A run that takes this many milliseconds or more is not repeated. */
const LONG = 1000;
let isWarm = false;

/**
 * Runs the first request again, each time in a new instance. A browser optimises the functions that ran often, for all
 * instances, so the first edit takes no longer than later edits.
 */
async function warmUp(request) {
  if (isWarm) return;
  isWarm = true;
  for (let i = 0; i < WARM_UPS; i++) {
    // Requests that arrive meanwhile come first.
    await new Promise((resolve) => setTimeout(resolve, 50));
    try {
      (await begun.then(create)).answer(request);
    } catch {
      return;
    }
  }
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
    const start = performance.now();
    postMessage({ id, answer: engine.answer(request) });
    if (performance.now() - start < LONG) warmUp(request);
  } catch (error) {
    const [failed, message] = engine.reason(error);
    postMessage({ id, failed, message });
    instance = begun.then(create);
  }
};
