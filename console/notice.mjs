// The text of NOTICE: name, version and licence of each package that is part of the bundle.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function noticeFor(root, sources) {
  const parts = await Promise.all(packagesIn(sources).map((name) => describe(root, name)));
  const intro = 'The files in dist contain these packages. The rest of the console is part of Auris.';
  return [intro, ...parts].join('\n\n' + '-'.repeat(80) + '\n\n') + '\n';
}

function packagesIn(sources) {
  const names = sources.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

async function describe(root, name) {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const text = await readFile(join(folder, 'LICENSE'), 'utf8');
  return `${name} ${version} (${license})\n\n${text.replace(/\r/g, '').trim()}`;
}
