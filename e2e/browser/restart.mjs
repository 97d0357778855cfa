// A page that shows a running job while the server is killed and started again on the same address.
import { access, writeFile } from 'node:fs/promises';
import { LONG_MS, base, browserTest, eventually, expectText, setting, signIn } from './browser.mjs';
import { transcribe } from './api.mjs';

// Each of the three windows of the sample takes this long, so the job still runs when the server is killed.
const WINDOW_DELAY_MS = 4000;

await browserTest(async (open) => {
  const { page, watch } = await open();
  await signIn(page);
  const job = await transcribe({ prompt: `fake:delay=${WINDOW_DELAY_MS}` });
  await page.goto(`${base}/jobs/${job}`);
  await expectText(page.locator('.job-facts'), 'Running');
  await page.evaluate(() => (window.openedOnce = true));
  watch.allowFailure(/^\/console\/v1\//);
  watch.allowRefusal(503, /^\/console\/v1\//);
  await writeFile(setting('AURIS_READY'), '');
  await eventually('the restart', () => exists(setting('AURIS_RESTARTED')), LONG_MS);
  await expectText(page.locator('.job-facts'), 'Completed', LONG_MS);
  await expectText(page.getByRole('list', { name: 'Transcript' }), 'word1');
  if (!(await page.evaluate(() => window.openedOnce))) throw new Error('the page was loaded again');
  await expectAttempts(page, job);
});

// The page of a job that has ended shows that a step was started again.
async function expectAttempts(page, job) {
  await page.goto(`${base}/jobs/${job}?tab=steps`);
  await expectText(page.getByRole('tabpanel'), /^[2-9] attempts$/);
}

function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
