// Two people who use one tab after each other: the second sees nothing of the first.
import { LONG_MS, expect, expectHeading, expectText, setting, signInWithKey } from '../browser.mjs';

const transcribed = (page) => page.getByRole('article', { name: 'inaugural.wav' });

export async function nothingOfTheLastVisitor({ context, page, watch }) {
  await transcribe(page);
  watch.allowRefusal(401, /^\/(console|operator)\/v1\//);
  await context.clearCookies();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Models' }).click();
  await signInAsUser(page, 'Models');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Transcribe' }).click();
  await expectNothing(page, 'after a session ended');
  await transcribe(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signInAsUser(page, 'Transcribe');
  await expectNothing(page, 'after somebody signed out');
}

async function transcribe(page) {
  await page.getByLabel('Audio files').setInputFiles(setting('AURIS_SAMPLE'));
  await page.getByLabel('Names and terms').fill('Okonkwo');
  await page.getByRole('button', { name: 'Transcribe' }).click();
  await expectText(transcribed(page), 'Completed', LONG_MS);
}

async function signInAsUser(page, heading) {
  await expectHeading(page, 'Sign in');
  await signInWithKey(page, setting('AURIS_KEY'));
  await expectHeading(page, heading);
}

async function expectNothing(page, when) {
  await page.getByLabel('Names and terms').waitFor();
  expect((await transcribed(page).count()) === 0, `${when}, the next visitor sees the transcript of the last one`);
  const terms = await page.getByLabel('Names and terms').inputValue();
  expect(terms === '', `${when}, the next visitor sees the terms “${terms}” of the last one`);
}
