// The state of the page in its address: an example by its name, or all files and settings, compressed.

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
const toText = (bytes) => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** The fragment for a state. */
export async function toFragment(state) {
  if (state.example) return "#example=" + encodeURIComponent(state.example) + (state.line ? "&line=" + state.line : "");
  return "#case=" + toText(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state))));
}
/** The state of a fragment; null if the fragment has no state. */
export async function fromFragment(fragment) {
  const parameters = new URLSearchParams(fragment.slice(1));
  if (parameters.has("example")) return { example: parameters.get("example"), line: Number(parameters.get("line")) || undefined };
  if (!parameters.has("case")) return null;
  const bytes = await through(new DecompressionStream("deflate-raw"), toBytes(parameters.get("case")));
  const state = JSON.parse(new TextDecoder().decode(bytes));
  const isFile = (file) => typeof file?.name === "string" && typeof file?.text === "string";
  if (!Array.isArray(state.files) || !state.files.length || !state.files.every(isFile) || !isFile(state.input)) throw new Error("the link is damaged");
  return state;
}
