// A telephone call of two people with real models, from the upload to the names of the speakers. Its pictures are those of
// the documentation; `scripts/console --pictures` copies them to docs/pictures.
import { readFile } from 'node:fs/promises';
import { LONG_MS, browserTest, expectHeading, expectText, picture, setting, signIn } from './browser.mjs';

const STAGES = ['Speakers', 'Summary', 'Chapters', 'Entities', 'Sentiment', 'Key phrases', 'Topics', 'Paragraphs'];

await browserTest(async (open) => {
  const { page } = await open({ height: 960 });
  await signIn(page);
  await transcribe(page);
  await nameSpeakers(page);
  await checkEntities(page);
});

async function transcribe(page) {
  const call = { name: 'call.wav', mimeType: 'audio/wav', buffer: await readFile(setting('AURIS_CALL')) };
  await page.getByLabel('Audio files').setInputFiles(call);
  await check(page, STAGES.slice(0, 2));
  await page.mouse.wheel(0, -10_000);
  await leavePointer(page);
  await picture(page, 'documentation-transcribe', false);
  await check(page, STAGES);
  await page.getByRole('button', { name: 'Transcribe' }).click();
  const run = page.getByRole('article', { name: 'call.wav' });
  await expectText(run, 'Completed', LONG_MS);
  await run.getByRole('link', { name: 'Open' }).click();
  await expectHeading(page, 'Transcription of call.wav');
  await page.getByRole('tab', { name: /^Topics/ }).waitFor({ timeout: LONG_MS });
}

async function check(page, stages) {
  for (const stage of stages) await page.getByRole('checkbox', { name: new RegExp(`^${stage}`) }).check();
}

async function nameSpeakers(page) {
  const speech = page.getByRole('tabpanel');
  await expectText(speech, /this is Diane/i);
  await expectText(speech, /Sheila/);
  for (const [label, name] of Object.entries({ A: 'Diane', B: 'Sheila' })) {
    await page.getByRole('button', { name: `Rename Speaker ${label}` }).click();
    await page.getByLabel(`Name of speaker ${label}`).fill(name);
    await page.getByLabel(`Name of speaker ${label}`).press('Enter');
    await expectText(speech, name);
    // The focus returns to the button in the next frame.
    await page.waitForFunction((label) => document.activeElement?.ariaLabel === label, `Rename ${name}`);
  }
  await leavePointer(page);
  await picture(page, 'documentation-job', false);
}

// So that nothing looks focused or pointed at.
async function leavePointer(page) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(0, 0);
}

async function checkEntities(page) {
  await page.getByRole('tab', { name: /^Entities/ }).click();
  for (const name of ['Sheila', 'New Jersey', 'Chicago']) {
    await page.getByRole('tabpanel').getByRole('button', { name, exact: true }).waitFor();
  }
}
