// An installed model is verified and tried.
import { expect, expectHeading, expectText, LONG_MS } from '../browser.mjs';
import { openPage } from '../forms/fields.mjs';

const NAME = 'Moonshine tiny (English)';

export async function tryAndVerifyModel(page) {
  await openPage(page, '/models', 'Models');
  await page.getByRole('button', { name: `Verify: ${NAME}` }).click();
  await expectText(page, /moonshine-tiny-en is verified|its files are intact/, LONG_MS);
  await page.getByRole('link', { name: `Try it: ${NAME}` }).click();
  await expectHeading(page, 'Transcribe');
  const chosen = page.getByRole('region', { name: 'Settings' }).getByLabel('Model');
  await chosen.locator('option:checked', { hasText: NAME }).waitFor({ state: 'attached' });
  expect(!page.url().includes('model='), `the address still names the model: ${page.url()}`);
}
