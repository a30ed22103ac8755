// Loads the code of an area of pages: one file with all of its parts, each a wasm module. Some parts belong to several
// areas and are in the file of each; whoever has them already leaves them out.
import { initSync } from './app.js';

// The parts of each area by their numbers, with where they end in its file, in bytes.
const areas = /* areas */;

const loaded = new Map();
const linked = new Set();

// Only what succeeded is remembered: after a cut line the next click tries again.
function once(name, load) {
  if (!loaded.has(name)) {
    const loading = load();
    loading.catch(() => loaded.delete(name));
    loaded.set(name, loading);
  }
  return loaded.get(name);
}

// The parts of an area, compiled. Only to link them takes the application.
const compiled = (area) => once(`${area}.parts`, async () => {
  const answer = await fetch(new URL(`./${area}.parts`, import.meta.url));
  if (!answer.ok) throw new Error(`${area}.parts: ${answer.status}`);
  const file = await answer.arrayBuffer();
  let start = 0;
  const parts = areas[area].map(([number, end]) => {
    const bytes = new Uint8Array(file, start, end - start);
    start = end;
    return { number, bytes };
  });
  const missing = parts.filter(({ number }) => !linked.has(number));
  return Promise.all(missing.map(async ({ number, bytes }) => ({ number, module: await WebAssembly.compile(bytes) })));
});

async function load(area) {
  const parts = await compiled(area);
  const imports = { __wasm_split: initSync(undefined, undefined) };
  for (const { number, module } of parts) {
    if (linked.has(number)) continue;
    new WebAssembly.Instance(module, imports);
    linked.add(number);
  }
}

// The application waits for a call: what it gave, and whether the code is there.
const loader = (area) => async (callback, given) => {
  let came = true;
  try {
    await once(area, () => load(area));
  } catch (error) {
    console.error(error);
    came = false;
  }
  initSync(undefined, undefined).__indirect_function_table.get(callback)(given, came);
};

// What this page asks for at once is compiled beside the application, not after it. Who needs it is told if it fails.
for (const { href } of document.querySelectorAll('link[rel="preload"][href$=".parts"]')) {
  compiled(/([^/]+)\.parts$/.exec(href)[1]).catch(() => {});
}
