// An instance of the engine, in a worker or in Node.js. Requests and answers are JSON texts.

export class Instance {
  #exports;
  #limit;

  /** The limit on memory is in MiB. */
  static async create(module, limit) {
    const instance = new Instance();
    // The module calls none of its imports.
    const nothing = new Proxy({}, { get: (_, name) => () => { throw new Error(`${String(name)} is not available`); } });
    const imports = new Proxy({}, { get: () => nothing, has: () => true });
    instance.#exports = (await WebAssembly.instantiate(module, imports)).exports;
    instance.#exports.set_memory_limit(limit * 2 ** 20);
    instance.#limit = limit;
    return instance;
  }
  /** Answers a request. After an exception, the memory is in an unknown state. */
  answer(request) {
    const bytes = new TextEncoder().encode(request);
    const buffer = this.#exports.buffer(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, buffer + 4, bytes.length).set(bytes);
    return this.#read(this.#exports.answer(buffer));
  }
  /** The kind of an exception of `answer`, and its reason for people. */
  reason(error) {
    const stack = ["stack", "the text is nested too deeply for a browser; the drrvm command accepts more"];
    if (this.#exports.is_out_of_memory()) return ["memory", `this needs more than the ${this.#limit} MiB of memory that the page allows`];
    if (error instanceof RangeError) return stack;
    let panic;
    try {
      panic = this.#read(this.#exports.panic_message());
    } catch {
      // Nothing runs on an exhausted stack.
      return stack;
    }
    return ["bug", `drrvm stopped because of a bug in it${panic ? ": " + panic : ` (${error.message})`}`];
  }
  /** Reads and frees a buffer: a length of 32 bits, and the bytes. */
  #read(buffer) {
    const { memory } = this.#exports, length = new DataView(memory.buffer).getUint32(buffer, true);
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, buffer + 4, length));
    this.#exports.release(buffer);
    return text;
  }
}
