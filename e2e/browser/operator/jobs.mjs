// The list of jobs is filtered, a running job is cancelled, and the content of another one is deleted.
import { LONG_MS, base, expect, expectHeading, expectText } from '../browser.mjs';
import { finished, transcribe } from '../api.mjs';
import { openPage } from '../forms/fields.mjs';

export async function filterJobs(page) {
  const job = await finished(await transcribe({}));
  await openPage(page, '/jobs', 'Jobs');
  const link = page.locator(`a[href*="${job}"]`).first();
  await link.waitFor();
  const filters = page.getByRole('form', { name: 'Filters' });
  await filters.getByLabel('Status').selectOption('failed');
  await expectText(page, 'No job matches the filters');
  await filters.getByRole('button', { name: 'Clear' }).click();
  await filters.getByLabel('Kind').selectOption('transcription');
  await link.waitFor();
  await filters.getByLabel('From').fill('2020-01-01');
  await link.waitFor();
  await filters.getByLabel('To').fill('2020-01-02');
  await expectText(page, 'No job matches the filters');
}

export async function cancelAndDelete(page) {
  const running = await transcribe({ prompt: 'fake:delay=20000' });
  await openPage(page, '/jobs', 'Jobs');
  await page.getByRole('checkbox', { name: `Select ${running}` }).check();
  await page.getByRole('button', { name: 'Cancel 1 job' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 job' }).click();
  await expectText(page.getByRole('table'), 'Cancelled', LONG_MS);
  const job = await finished(await transcribe({}));
  await page.goto(`${base}/jobs/${job}`);
  await expectHeading(page, /^Transcription of/);
  await page.getByRole('region', { name: 'Recording' }).waitFor();
  await page.getByRole('button', { name: 'Delete content' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete forever' }).click();
  await expectText(page, 'The content was deleted');
  await page.getByRole('region', { name: 'Recording' }).waitFor({ state: 'hidden' });
  await page.reload();
  await expectText(page, 'The content was deleted');
  expect((await page.getByRole('button', { name: 'Delete content' }).count()) === 0, 'it can be deleted again');
}
