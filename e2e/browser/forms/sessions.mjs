// A session that ends while a page is open, and one job in two windows.
import { LONG_MS, base, expect, expectHeading, expectText, signInWithKey } from '../browser.mjs';
import { finished, transcribe } from '../api.mjs';

// Both windows follow the job and show its end without a reload.
export async function twoWindows(context, page) {
  const job = await transcribe({ prompt: 'fake:delay=2000' });
  const other = await context.newPage();
  for (const window of [page, other]) {
    await window.goto(`${base}/jobs/${job}`);
    await expectText(window.locator('.job-facts'), /^(Queued|Running)$/);
  }
  for (const window of [page, other]) {
    await expectText(window.locator('.job-facts'), 'Completed', LONG_MS);
    await expectText(window.getByRole('list', { name: 'Transcript' }), 'word1');
  }
  await other.close();
}

// The session is ended from another browser. The next action leads to the sign-in, and from there back.
export async function expiredSession(open, context, page, watch, key) {
  const job = await finished(await transcribe({}));
  watch.allowRefusal(401, /^\/(console|operator)\/v1\//);
  await page.goto(`${base}/jobs/${job}?tab=steps`);
  await expectHeading(page, /^Transcription (of|from)/);
  const address = page.url();
  await endSession(open, context);
  await page.reload();
  await signInAgain(page, key);
  await expectHeading(page, /^Transcription (of|from)/);
  expect(page.url() === address, `the sign-in led to ${page.url()} instead of ${address}`);
  await endSession(open, context);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Usage' }).click();
  await signInAgain(page, key);
  await expectHeading(page, 'Usage');
  await context.clearCookies();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Models' }).click();
  await signInAgain(page, key);
  await expectHeading(page, 'Models');
}

async function endSession(open, context) {
  const other = await open({ state: await context.storageState() });
  await other.page.goto(`${base}/jobs`);
  await expectHeading(other.page, 'Jobs');
  await other.page.getByRole('button', { name: 'Sign out' }).click();
  await expectHeading(other.page, 'Sign in');
  await other.context.close();
}

async function signInAgain(page, key) {
  await expectHeading(page, 'Sign in');
  await expectText(page, 'Your session has ended. Sign in to go on.');
  await signInWithKey(page, key);
}
