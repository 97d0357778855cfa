// With a key that can only read, the pages show everything and offer no change.
import { base, expect, expectHeading, expectText, setting, signInWithKey } from '../browser.mjs';
import { finished, transcribe } from '../api.mjs';

export async function nothingToChangeForReaders(open, operator) {
  const job = await finished(await transcribe({}));
  const { page } = await open();
  await page.goto(`${base}/sign-in`);
  await signInWithKey(page, await keyOfReader(operator));
  await expectHeading(page, 'Transcribe');
  await expectText(page, 'This key can only read.');
  await page.getByLabel('Audio files').setInputFiles(setting('AURIS_SAMPLE'));
  await refused(page, 'Transcribe');
  await page.goto(`${base}/jobs/${job}`);
  for (const name of ['Analyze', 'Delete content']) await refused(page, name);
  await page.goto(`${base}/webhooks`);
  await refused(page, 'Add an endpoint');
  await page.goto(`${base}/webhooks?tab=deliveries`);
  await refused(page, 'Resend all failed');
}

async function keyOfReader(operator) {
  const created = await operator.context.request.post(`${base}/operator/v1/projects/default/keys`, {
    headers: { 'X-Auris-Console': '1' },
    data: { name: 'reader', scopes: ['read'] },
  });
  return (await created.json()).key;
}

async function refused(page, name) {
  const button = page.getByRole('button', { name, exact: true }).first();
  await button.waitFor();
  expect(await button.isDisabled(), `“${name}” can be pressed`);
  const reason = await button.getAttribute('title');
  expect(reason === 'This key can only read.', `“${name}” says: ${reason}`);
}
