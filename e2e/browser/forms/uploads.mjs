// Uploads and started jobs for which something in front of the server gives an answer of its own.
import { LONG_MS, expect, expectHeading, expectText, setting } from '../browser.mjs';
import { dropElsewhere } from '../files.mjs';
import { openPage } from './fields.mjs';

const UPLOAD = '**/audio/transcriptions';
const CANCEL = '**/jobs/*/cancel';
const EVENTS = '**/jobs/*/events';

const BAD_GATEWAY = {
  status: 502,
  contentType: 'text/html',
  headers: { 'retry-after': '7', 'x-request-id': 'req_of_the_proxy' },
  body: '<h1>Bad gateway</h1>',
};

// The card says what to do, and the file is uploaded again from there.
export async function refusedUpload(page, watch) {
  watch.allowRefusal(502, /\/audio\/transcriptions$/);
  await page.route(UPLOAD, (route) => route.fulfill(BAD_GATEWAY), { times: 1 });
  const run = await start(page, '');
  const alert = run.getByRole('alert');
  await expectText(alert, 'The file was not transcribed.');
  await expectText(alert, /The proxy in front of Auris cannot reach it.*Try again in 7 seconds/);
  await expectText(alert, 'req_of_the_proxy');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expectText(run, 'Completed', LONG_MS);
  await dismiss(run);
}

// A file that is dropped on another page is taken to Transcribe. With a dialog open, it goes nowhere.
export async function dropOnOtherPages(page) {
  await openPage(page, '/jobs', 'Jobs');
  expect(!(await dropElsewhere(page, setting('AURIS_SAMPLE'))), 'the browser opens a file that is dropped on Jobs');
  await expectHeading(page, 'Transcribe');
  const chosen = page.getByRole('list', { name: 'Chosen files' });
  await chosen.getByRole('button', { name: 'Remove inaugural.wav' }).click();
  await openPage(page, '/webhooks', 'Webhooks');
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  expect(!(await dropElsewhere(page, setting('AURIS_SAMPLE'))), 'the browser opens a file that is dropped on a form');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Transcribe' }).click();
  await expectHeading(page, 'Transcribe');
  expect((await chosen.count()) === 0, 'a file that was dropped on a form was chosen');
}

// Bad news stays until somebody has read it.
export async function lastingBadNews(open, context) {
  const { context: other, page, watch } = await open({ state: await context.storageState() });
  watch.allowRefusal(502, /\/session$/);
  await page.clock.install();
  await openPage(page, '/jobs', 'Jobs');
  await page.route('**/session', (route) => route.fulfill(BAD_GATEWAY));
  await page.getByRole('button', { name: 'Sign out' }).click();
  const toast = page.locator('.toast.bad');
  await toast.waitFor();
  await page.clock.runFor(60_000);
  await toast.getByRole('button', { name: 'Dismiss' }).click();
  await toast.waitFor({ state: 'detached' });
  await other.close();
}

// The job runs on, and the card does not say that it failed.
export async function refusedCancel(page, watch) {
  watch.allowRefusal(502, /\/cancel$/);
  await page.route(CANCEL, (route) => route.fulfill(BAD_GATEWAY), { times: 1 });
  const run = await start(page, 'fake:delay=3600000');
  await run.getByRole('link', { name: 'Open' }).waitFor();
  await run.getByRole('button', { name: 'Cancel' }).click();
  await expectText(run.getByRole('alert'), 'The job was not cancelled.');
  await expectNoFailure(run);
  await run.getByRole('button', { name: 'Cancel' }).click();
  await expectText(run, 'Cancelled', LONG_MS);
  await run.getByRole('alert').waitFor({ state: 'detached' });
  await dismiss(run);
}

// The page says that it does not know how the job goes on, and finds out when it is asked to.
export async function lostEvents(page, watch) {
  watch.allowRefusal(403, /\/events$/);
  await page.route(EVENTS, (route) => route.fulfill({ status: 403, body: '' }), { times: 1 });
  const run = await start(page, '');
  const alert = run.getByRole('alert');
  await expectText(alert, /This page no longer follows the job/);
  await expectNoFailure(run);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expectText(run, 'Completed', LONG_MS);
  await dismiss(run);
}

async function start(page, prompt) {
  await openPage(page, '/', 'Transcribe');
  await page.getByLabel('Audio files').setInputFiles(setting('AURIS_SAMPLE'));
  await page.getByLabel('Names and terms').fill(prompt);
  await page.getByRole('button', { name: 'Transcribe' }).click();
  return page.getByRole('article', { name: 'inaugural.wav' });
}

async function expectNoFailure(run) {
  const said = await run.innerText();
  expect(!said.includes('was not transcribed'), `the job runs on, but the card says: ${said}`);
}

async function dismiss(run) {
  await run.getByRole('button', { name: /^Remove/ }).click();
}
