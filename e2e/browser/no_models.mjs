// A server without any model says so beside each stage, before something is uploaded.
import { base, browserTest, expect, expectHeading, expectText, setting, signIn, signInWithKey } from './browser.mjs';

await browserTest(async (open) => {
  const operator = await open();
  await signIn(operator.page);
  await expectDisabledStages(operator.page);
  await operator.page.locator('.stage').first().getByRole('link', { name: 'Install one' }).click();
  await expectHeading(operator.page, 'Models');
  const user = await open();
  await user.page.goto(`${base}/sign-in`);
  await signInWithKey(user.page, setting('AURIS_KEY'));
  await expectHeading(user.page, 'Transcribe');
  await expectDisabledStages(user.page);
  await expectText(user.page.locator('.stage').first(), 'Ask an operator to install one.');
});

async function expectDisabledStages(page) {
  await page.getByLabel('Audio files').setInputFiles(setting('AURIS_SAMPLE'));
  const stages = page.locator('.stage');
  await stages.first().waitFor();
  for (const stage of await stages.all()) {
    await expectText(stage, /No model is installed/);
    expect(await stage.getByRole('checkbox').isDisabled(), 'a stage without a model can be chosen');
  }
  expect(await page.getByRole('button', { name: 'Add a task' }).isDisabled(), 'a task without a model can be added');
  expect(await page.getByRole('button', { name: 'Transcribe' }).isDisabled(), 'a file can be sent without a model');
}
