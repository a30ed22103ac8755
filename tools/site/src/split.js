// Loads the code of an area of pages: one file with all of its parts, each a wasm module. Some parts belong to several
// areas and are in the file of each; whoever has them already leaves them out. With it comes what the area says.
import { initSync } from './app.js';

// The areas, and of each part its size in bytes and who has it: the first area counts 1, the second 2, the third 4.
const areas = /* areas */;
const parts = /* parts */;

const loaded = new Map();
const linked = new Set();
const texts = new Map();
const links = [...document.querySelectorAll('link[rel="preload"]')].map(({ href }) => href.slice(href.lastIndexOf('/') + 1));
// The language of this page: every.en.ftl.
const language = links.find((file) => file.startsWith('every.'))?.split('.')[1];

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

async function fetched(file) {
  const answer = await fetch(new URL(`./${file}`, import.meta.url));
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  return answer;
}

// The sentences of an area.
const said = (area) => once(`${area}.ftl`, async () => {
  texts.set(area, await (await fetched(`${area}.${language}.ftl`)).text());
});
// Those of every page.
export const every = () => said('every');
// What came of them.
export const text = (area) => texts.get(area) ?? '';

// The parts of an area, compiled. Only to link them takes the application.
const compiled = (area) => once(`${area}.parts`, async () => {
  const file = await (await fetched(`${area}.parts`)).arrayBuffer();
  const missing = places(area).filter(({ number }) => !linked.has(number));
  return Promise.all(missing.map(async ({ number, start, size }) => {
    return { number, module: await WebAssembly.compile(new Uint8Array(file, start, size)) };
  }));
});

async function load(area) {
  const [modules] = await Promise.all([compiled(area), said(area)]);
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
for (const [area, kind] of links.map((file) => file.split('.'))) {
  if (kind === 'parts') compiled(area).catch(() => {});
}
