// A job fails with the message of a model server, which contains markup.
import { LONG_MS, base, eventually, expect, expectText } from '../browser.mjs';
import { analyse, call } from '../api.mjs';
import { MARKUP } from '../visitors/markup_text.mjs';
import { expectUnharmed } from '../visitors/unharmed.mjs';

export async function failedJob(page) {
  const task = { id: 'refused', model: 'refusing', instructions: 'Answer.' };
  const job = await analyse({ transcript: { text: 'Hello.' }, processing: { failure_policy: 'fail_fast', tasks: [task] } });
  await eventually('the failure', async () => (await call('GET', `/v1/jobs/${job}`)).status === 'failed', LONG_MS);
  for (const tab of ['transcript', 'steps', 'developer']) {
    await page.goto(`${base}/jobs/${job}?tab=${tab}`);
    await expectText(page.getByRole('alert'), MARKUP);
    await expectUnharmed(page);
  }
  await page.goto(`${base}/system`);
  await expectText(page.getByRole('main'), /Refreshes by itself/);
  await expectUnharmed(page);
  expect((await page.locator('h1').innerText()) === 'System', 'the page of the system is not shown');
}
