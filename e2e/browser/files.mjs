// Files for the upload form: dropped on the page, or made for a test.
import { mkdtemp, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setting } from './browser.mjs';

// Drops a file on the page, with the events that a browser sends.
export function dropFile(page, path) {
  return dropFiles(page, path, [basename(path)]);
}

// Drops several files at once, which have the same contents and these names.
export async function dropFiles(page, path, names) {
  const contents = (await readFile(path)).toString('base64');
  const transfer = await page.evaluateHandle(
    ([fileNames, encoded]) => {
      const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
      const carried = new DataTransfer();
      for (const name of fileNames) carried.items.add(new File([bytes], name, { type: 'audio/wav' }));
      return carried;
    },
    [names, contents],
  );
  await page.dispatchEvent('.drop-zone', 'dragover', { dataTransfer: transfer });
  await page.locator('.drop-zone.over').waitFor();
  await page.dispatchEvent('.drop-zone', 'drop', { dataTransfer: transfer });
}

// The sample under another name.
export async function sampleNamed(name) {
  return { name, mimeType: 'audio/wav', buffer: await readFile(setting('AURIS_SAMPLE')) };
}

// A file of this size that takes no space on the disk.
export async function sparseFile(name, bytes) {
  const path = join(await mkdtemp(join(tmpdir(), 'auris-browser-')), name);
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
  return path;
}
