// Loads the code of an area of pages: one file with all of its parts, each a wasm module. Some parts belong to several
// areas and are in the file of each; whoever has them already leaves them out.
import { initSync } from './app.js';

// The parts of each area with where they end in its file, in bytes. The area's own comes last, and needs the others.
const areas = /* areas */;

const loaded = new Map();

// Only what succeeded is remembered: after a cut line the next click tries again.
function once(name, load) {
  if (!loaded.has(name)) {
    const loading = load();
    loading.catch(() => loaded.delete(name));
    loaded.set(name, loading);
  }
  return loaded.get(name);
}

async function load(area) {
  const answer = await fetch(new URL(`./${area}.parts`, import.meta.url));
  if (!answer.ok) throw new Error(`${area}.parts: ${answer.status}`);
  const file = await answer.arrayBuffer();
  const imports = { __wasm_split: initSync(undefined, undefined) };
  let start = 0;
  const parts = areas[area].map(([name, end]) => {
    const bytes = new Uint8Array(file, start, end - start);
    start = end;
    return () => once(name, () => WebAssembly.instantiate(bytes, imports));
  });
  const own = parts.pop();
  await Promise.all(parts.map((part) => part()));
  await own?.();
}

// The application waits for a call: what it gave, and whether the code is there.
const loader = (area) => async (callback, given) => {
  let came = true;
  try {
    await once(`area ${area}`, () => load(area));
  } catch (error) {
    console.error(error);
    came = false;
  }
  initSync(undefined, undefined).__indirect_function_table.get(callback)(given, came);
};

