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
  const transfer = await transferOf(page, path, names);
  await page.dispatchEvent('.drop-zone', 'dragover', { dataTransfer: transfer });
  await page.locator('.drop-zone.over').waitFor();
  await page.dispatchEvent('.drop-zone', 'drop', { dataTransfer: transfer });
}

// Drops a file on a page that has no place for files. Returns whether the browser would open the file instead of the page.
export async function dropElsewhere(page, path) {
  const dataTransfer = await transferOf(page, path, [basename(path)]);
  await page.dispatchEvent('main', 'dragover', { dataTransfer });
  return page.evaluate((transfer) => {
    const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
    return document.querySelector('main').dispatchEvent(new DragEvent('drop', options));
  }, dataTransfer);
}

async function transferOf(page, path, names) {
  const contents = (await readFile(path)).toString('base64');
  return page.evaluateHandle(
    ([fileNames, encoded]) => {
      const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
      const carried = new DataTransfer();
      for (const name of fileNames) carried.items.add(new File([bytes], name, { type: 'audio/wav' }));
      return carried;
    },
    [names, contents],
  );
}

// The sample under another name.
export async function sampleNamed(name) {
  return { name, mimeType: 'audio/wav', buffer: await readFile(setting('AURIS_SAMPLE')) };
}

// A tone, in which the fake model hears two words a second: mono, 16 bits, 8,000 samples a second.
export function tone(name, seconds) {
  const samples = Int16Array.from({ length: seconds * 8000 }, (_, index) => 8000 * Math.sin(index / 6));
  const head = Buffer.from(`RIFF....WAVEfmt ${'.'.repeat(20)}data....`);
  const fields = [
    [4, 36 + samples.byteLength],
    [16, 16],
    [20, (1 << 16) + 1],
    [24, 8000],
    [28, 16_000],
    [32, (16 << 16) + 2],
    [40, samples.byteLength],
  ];
  const whole = Buffer.concat([head, Buffer.from(samples.buffer)]);
  for (const [place, value] of fields) whole.writeUInt32LE(value, place);
  return { name, mimeType: 'audio/wav', buffer: whole };
}

// A file of this size that takes no space on the disk.
export async function sparseFile(name, bytes) {
  const path = join(await mkdtemp(join(tmpdir(), 'auris-browser-')), name);
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
  return path;
}
