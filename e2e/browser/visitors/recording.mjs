// A recording in a bucket is played and downloaded through the server; the browser calls no other host.
import { readFile } from 'node:fs/promises';
import { base, expect, expectHeading, setting } from '../browser.mjs';
import { finished, transcribe } from '../api.mjs';

export async function playAndDownload(page) {
  const job = await finished(await transcribe({}));
  await page.goto(`${base}/jobs/${job}`);
  await expectHeading(page, /^Transcription (of|from)/);
  const player = page.getByRole('region', { name: 'Recording' });
  await player.getByRole('button', { name: 'Play (space)' }).click();
  await page.waitForFunction(() => Number(document.querySelector('.waveform')?.getAttribute('aria-valuenow')) >= 1);
  await player.getByRole('button', { name: 'Pause (space)' }).click();
  await page.getByRole('tab', { name: /^Files/ }).click();
  const started = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download Recording' }).click();
  const stored = await readFile(await (await started).path());
  expect(stored.equals(await readFile(setting('AURIS_SAMPLE'))), 'the downloaded recording differs from the sample');
}
