// The engine in its worker. It answers one request at a time. Of the waiting requests of one type, it keeps the newest.

const MEMORY = 1024;

/** Fetches and compiles the engine. */
export async function fetched(file) {
  const response = await file;
  if (!response.ok) throw new Error(`drrvm.wasm: ${response.status} ${response.statusText}`);
  // Some servers send WebAssembly with another type, which streaming does not accept.
  return response.headers.get("content-type") === "application/wasm"
    ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  #module;
  #worker = null;
  #current = null;
  #waiting = new Map();
  #next = 1;

  /** True after the first answer. Before the first answer, requests wait until the engine is loaded. */
  isLoaded = false;

  /**
   * `module` is a promise. `onBusy(true)` is called if a request takes longer than 300 ms, and `onBusy(false)`
   * when a request has ended.
   */
  constructor(module, onBusy) {
    this.#module = module;
    this.onBusy = onBusy;
    this.#start();
  }
  #start() {
    const worker = new Worker("worker.js");
    const limit = Number(new URLSearchParams(location.search).get("memory")) || MEMORY;
    this.#module.then((module) => worker.postMessage({ module, limit }), ({ message }) => worker.postMessage({ failure: message }));
    worker.onmessage = ({ data }) => this.#done(data);
    worker.onerror = () => this.#done({ id: this.#current?.id, failed: "load", message: "the engine cannot be loaded" });
    this.#worker = worker;
  }
  /**
   * Answers a request. A newer request of the same type replaces a waiting request, whose promise is then never
   * settled.
   */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.type, { request, resolve, reject });
      this.#send();
    });
  }
  #send() {
    if (this.#current || !this.#waiting.size) return;
    const [type, next] = this.#waiting.entries().next().value;
    this.#waiting.delete(type);
    const timer = setTimeout(() => this.onBusy(true), 300);
    this.#current = { id: this.#next++, timer, ...next };
    this.#worker.postMessage({ id: this.#current.id, request: JSON.stringify(next.request) });
  }
  #done({ id, answer, failed, message }) {
    if (this.#current?.id !== id) return;
    const { timer, resolve, reject } = this.#current;
    this.#current = null;
    clearTimeout(timer);
    this.onBusy(false);
    if (failed) reject(Object.assign(new Error(message), { kind: failed }));
    else {
      this.isLoaded = true;
      resolve(JSON.parse(answer));
    }
    this.#send();
  }
  /** Ends the current request. */
  stop() {
    if (!this.#current) return;
    this.#worker.terminate();
    this.#start();
    this.#done({ id: this.#current.id, failed: "stopped", message: "the run was stopped" });
  }
}
