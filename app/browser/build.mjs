// Builds `server/site`, all that a browser loads besides pages; `cargo xtask site` calls this.
//
// The script and what it imports become `live.js`, the style sheets become `main.css`, and `public` is copied. The folder
// is flat, because the server puts all of it below one address whose content never changes. Each file has a `.br` and a
// `.gz` beside it.
import { build } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'server/site');

/** What the server is asked for, by name. */
const files = new Map(readdirSync(join(root, 'public')).map((name) => [name, readFileSync(join(root, 'public', name))]));

/** The oldest browsers that the pages work in, as docs/how-to/dashboard.md says. */
const BROWSERS = ['chrome123', 'edge123', 'firefox125', 'safari17.5', 'ios17.5'];

const packed = await build({
  entryPoints: [join(root, 'app/browser/live.js'), join(root, 'style/main.css')],
  entryNames: '[name]',
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'esm',
  target: BROWSERS,
  logLevel: 'warning',
  write: false,
}).catch(() => process.exit(1)); // It has said why.
for (const { path, contents } of packed.outputFiles) files.set(basename(path), Buffer.from(contents));

mkdirSync(folder, { recursive: true });
const wanted = new Set();
for (const [name, content] of files) {
  const forms = { [name]: () => content, [`${name}.br`]: () => brotliCompressSync(content), [`${name}.gz`]: () => gzipSync(content, { level: 9 }) };
  const path = join(folder, name);
  // A file that did not change is left alone, so that a program that embeds it is not compiled again.
  const isSame = Object.keys(forms).every((form) => existsSync(join(folder, form))) && readFileSync(path).equals(content);
  for (const [form, write] of Object.entries(forms)) {
    wanted.add(form);
    if (!isSame) writeFileSync(join(folder, form), write());
  }
}
// The rest is of an older build.
for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true });
