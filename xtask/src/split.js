// Loads the code of an area of pages: one file with all of its parts, each a wasm module. Some parts belong to several
// areas and are in the file of each; whoever has them already leaves them out.
import { initSync } from './app.js';

// The areas, and of each part its size in bytes and who has it: the first area counts 1, the second 2, the third 4.
const areas = /* areas */;
const parts = /* parts */;

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

// The parts of an area in the order of its file: their numbers, and where they lie.
function places(area) {
  const has = 1 << areas.indexOf(area);
  const all = parts.map(([size, owners], number) => ({ number, size, owners }));
  let end = 0;
  return all.filter(({ owners }) => owners & has).map(({ number, size }) => ({ number, size, start: (end += size) - size }));
}

// The parts of an area, compiled. Only to link them takes the application.
const compiled = (area) => once(`${area}.parts`, async () => {
  const answer = await fetch(new URL(`./${area}.parts`, import.meta.url));
  if (!answer.ok) throw new Error(`${area}.parts: ${answer.status}`);
  const file = await answer.arrayBuffer();
  const missing = places(area).filter(({ number }) => !linked.has(number));
  return Promise.all(missing.map(async ({ number, start, size }) => {
    return { number, module: await WebAssembly.compile(new Uint8Array(file, start, size)) };
  }));
});

async function load(area) {
  const modules = await compiled(area);
  const imports = { __wasm_split: initSync(undefined, undefined) };
  for (const { number, module } of modules) {
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
