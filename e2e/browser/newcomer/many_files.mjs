// Eight files are dropped at once. Browsers have six connections to a server; the jobs must not occupy all of them.
import { LONG_MS, base, expect, expectHeading, expectText, setting } from '../browser.mjs';
import { dropFiles } from '../files.mjs';

const NAMES = Array.from({ length: 8 }, (_, index) => `call-${index + 1}.wav`);
const MOST_STREAMS = 3;
// Each window of the sample takes this long, so all jobs still run when the last file has been uploaded.
const WINDOW_DELAY_MS = 1500;

export async function transcribeManyFiles(context, page) {
  const streams = openStreams(page);
  await startAll(page);
  for (const name of NAMES) await runOf(page, name).getByRole('link', { name: 'Open' }).waitFor({ timeout: LONG_MS });
  await expectAnswers(context, page);
  const running = await page.locator('.run').getByRole('button', { name: 'Cancel' }).count();
  expect(running > MOST_STREAMS, `only ${running} jobs still ran when all files were uploaded`);
  expect(streams.size === MOST_STREAMS, `${running} jobs run, and ${streams.size} streams are open`);
  for (const name of NAMES) {
    await expectText(runOf(page, name), 'Completed', LONG_MS);
    await expectText(runOf(page, name), /word1/);
  }
}

const runOf = (page, name) => page.getByRole('article', { name });

async function startAll(page) {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Transcribe' }).click();
  await expectHeading(page, 'Transcribe');
  await dropFiles(page, setting('AURIS_SAMPLE'), NAMES);
  const settings = page.getByRole('region', { name: 'Settings' });
  await settings.getByLabel('Model').selectOption('fake-speech');
  await settings.getByLabel('Names and terms').fill(`fake:delay=${WINDOW_DELAY_MS}`);
  await settings.getByRole('button', { name: 'Transcribe 8 files' }).click();
}

// This window and another one still get answers.
async function expectAnswers(context, page) {
  const status = await page.evaluate(async () => (await fetch('/console/v1/session')).status);
  expect(status === 200, `the session was answered with ${status}`);
  const other = await context.newPage();
  await other.goto(`${base}/jobs`);
  await other.getByRole('link', { name: /^call-1\.wav/ }).first().waitFor();
  await other.close();
}

// The event streams that are open now.
function openStreams(page) {
  const streams = new Set();
  page.on('request', (request) => /\/events$/.test(request.url()) && streams.add(request));
  page.on('requestfinished', (request) => streams.delete(request));
  page.on('requestfailed', (request) => streams.delete(request));
  return streams;
}
