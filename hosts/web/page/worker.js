// Runs the engine beside the page, so that the page stays usable. A message is `{id, request}`; its answer is `{id, answer}`
// or `{id, failed, message}`.

const MEMORY = 1024;
let module, engine;

async function load() {
  const limit = Number(new URL(location).searchParams.get("memory")) || MEMORY;
  if (!module) {
    const file = await fetch("drrvm.wasm");
    // Some servers send WebAssembly with another type, which streaming does not accept.
    module = file.headers.get("content-type") === "application/wasm"
      ? await WebAssembly.compileStreaming(file) : await WebAssembly.compile(await file.arrayBuffer());
  }
  // The module imports nothing that it calls.
  const nothing = new Proxy({}, { get: (_, name) => () => { throw new Error(`${String(name)} is not available`); } });
  const imports = new Proxy({}, { get: () => nothing, has: () => true });
  engine = (await WebAssembly.instantiate(module, imports)).exports;
  engine.set_memory_limit(limit * 2 ** 20);
  return limit;
}

/** Reads and frees a buffer: a length of 32 bits, and the bytes. */
function read(buffer) {
  const { memory } = engine, length = new DataView(memory.buffer).getUint32(buffer, true);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, buffer + 4, length));
  engine.release(buffer);
  return text;
}
function answer(request) {
  const bytes = new TextEncoder().encode(request);
  const buffer = engine.buffer(bytes.length);
  new Uint8Array(engine.memory.buffer, buffer + 4, bytes.length).set(bytes);
  return read(engine.answer(buffer));
}
/** The reason why a call ended, for people. */
function reason(error, limit) {
  const stack = ["stack", "the text is nested too deeply for a browser; the drrvm command accepts more"];
  if (engine.is_out_of_memory()) return ["memory", `this needs more than the ${limit} MiB of memory that the page allows`];
  if (error instanceof RangeError) return stack;
  let panic;
  try {
    panic = read(engine.panic_message());
  } catch {
    // Nothing runs on an exhausted stack.
    return stack;
  }
  return ["bug", `drrvm stopped because of a bug in it${panic ? ": " + panic : ` (${error.message})`}`];
}

let ready = load();
onmessage = async ({ data: { id, request } }) => {
  let limit;
  try {
    limit = await ready;
  } catch (error) {
    postMessage({ id, failed: "load", message: `the engine cannot be loaded: ${error.message}` });
    return;
  }
  try {
    postMessage({ id, answer: answer(request) });
  } catch (error) {
    const [failed, message] = reason(error, limit);
    postMessage({ id, failed, message });
    // The memory of the old instance is in an unknown state.
    ready = load();
  }
};
