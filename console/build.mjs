// Bundles the console: `node build.mjs FOLDER`, and writes NOTICE beside the folder. The same sources give the same bytes
// on every machine.
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { noticeFor } from './notice.mjs';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'dist'));

const contentTypes = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

async function bundle() {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/main.tsx' },
    outdir: join(target, 'assets'),
    outbase: 'src',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const files = result.outputFiles.map((file) => ({
    path: '/' + relative(target, file.path).split(sep).join('/'),
    contents: file.contents,
  }));
  return { files, sources: Object.keys(result.metafile.inputs) };
}

// The icon is small and on every page, so the document contains it.
async function dataUrl(path) {
  const picture = await readFile(join(root, path), 'utf8');
  return `data:image/svg+xml,${encodeURIComponent(picture.trim())}`;
}

async function page(files) {
  const path = (pattern) => {
    const found = files.find((file) => pattern.test(basename(file.path)));
    if (!found) throw new Error(`The bundle has no file like ${pattern}.`);
    return found.path;
  };
  const template = await readFile(join(root, 'src/index.html'), 'utf8');
  return template
    .replace('{{script}}', path(/^main-.*\.js$/))
    .replace('{{style}}', path(/^main-.*\.css$/))
    .replace('{{icon}}', await dataUrl('src/favicon.svg'));
}

function describe(path) {
  const contentType = contentTypes[path.split('.').pop()];
  if (!contentType) throw new Error(`No content type is known for ${path}.`);
  return { path, contentType, immutable: path !== '/index.html' };
}

// The list that crates/api includes, with the bytes of every file.
function rustList(listing) {
  const entries = listing.map(({ path, contentType, immutable }) => {
    const name = JSON.stringify(path.slice(1));
    return [
      '    ConsoleFile {',
      `        path: ${name},`,
      `        content_type: ${JSON.stringify(contentType)},`,
      `        is_immutable: ${immutable},`,
      `        bytes: include_bytes!(${name}),`,
      '    },',
    ].join('\n');
  });
  const head = '// Written by console/build.mjs.\npub(crate) const FILES: &[ConsoleFile] = &[\n';
  return `${head}${entries.join('\n')}\n];\n`;
}

const { files, sources } = await bundle();
files.push({ path: '/index.html', contents: Buffer.from(await page(files)) });
files.sort((a, b) => (a.path < b.path ? -1 : 1));

await rm(target, { recursive: true, force: true });
await mkdir(join(target, 'assets'), { recursive: true });
for (const file of files) await writeFile(join(target, file.path), file.contents);
const listing = files.map((file) => describe(file.path));
await writeFile(join(target, 'files.json'), JSON.stringify(listing, null, 2) + '\n');
await writeFile(join(target, '..', 'NOTICE'), await noticeFor(root, sources));
await writeFile(join(target, 'files.rs'), rustList(listing));
