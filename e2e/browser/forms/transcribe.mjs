// Files that cannot be transcribed, and an analysis with mistakes.
import { LONG_MS, expect, expectHeading, expectText, setting } from '../browser.mjs';
import { finished, transcribe } from '../api.mjs';
import { sparseFile } from '../files.mjs';
import { expectFieldError, openDialog, openPage } from './fields.mjs';

const TOO_LARGE = 96 * 1024 * 1024;

export async function uploadForm(page, watch) {
  await openPage(page, '/', 'Transcribe');
  const audio = page.getByRole('region', { name: 'Audio' });
  const input = audio.getByLabel('Audio files');
  await input.setInputFiles({ name: 'empty.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(0) });
  await expectText(audio, /“empty\.wav” is empty/);
  await input.setInputFiles(await sparseFile('long.wav', TOO_LARGE));
  await expectText(audio, /“long\.wav” is larger than .*split the file/);
  const start = page.getByRole('button', { name: 'Transcribe' });
  expect(await start.isDisabled(), 'refused files can be sent');
  watch.allowRefusal(400, /\/audio\/transcriptions$/);
  watch.allowRefusal(415, /\/audio\/transcriptions$/);
  await input.setInputFiles({ name: 'notes.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('These are notes.') });
  await start.click();
  const run = page.getByRole('article', { name: 'notes.mp3' });
  await expectText(run.getByRole('alert'), 'The file was not transcribed.');
  await run.getByRole('button', { name: /^Remove notes\.mp3/ }).click();
}

export async function analysisForm(page) {
  await openPage(page, '/', 'Transcribe');
  await page.getByLabel('Audio files').setInputFiles(setting('AURIS_SAMPLE'));
  const start = page.getByRole('button', { name: 'Transcribe' });
  await page.getByRole('checkbox', { name: /^Speakers/ }).check();
  await page.getByLabel('At least').fill('0');
  await expectFieldError(page.locator('.processing'), 'At least', /1 to 100/);
  await page.getByLabel('At least').fill('2');
  await page.getByLabel('Cost limit in US dollars').fill('much');
  await expectFieldError(page.locator('.processing'), 'Cost limit in US dollars', /for example 0\.25/);
  await page.getByLabel('Cost limit in US dollars').fill('1');
  await taskFields(page, start);
  await start.click();
  const run = page.getByRole('article', { name: 'inaugural.wav' });
  await expectText(run, 'Completed', LONG_MS);
  await run.getByRole('link', { name: 'Open' }).click();
  await expectHeading(page, /^Transcription (of|from)/);
  await page.getByRole('tab', { name: /^Tasks/ }).click();
  await expectText(page.getByRole('region', { name: 'Answer of promises' }), 'items');
}

// The same fields on the page of a job, and a speaker whose name is too long.
export async function analyzeDialog(page) {
  const job = await finished(await transcribe({}));
  await openPage(page, `/jobs/${job}`, /^Transcription (of|from)/);
  const dialog = await openDialog(page, 'Analyze', 'Analyze this recording');
  const start = dialog.getByRole('button', { name: 'Start the analysis' });
  expect(await start.isDisabled(), 'an analysis of nothing can be started');
  await dialog.getByRole('checkbox', { name: /^Speakers/ }).check();
  await dialog.getByLabel('At least').fill('101');
  await expectFieldError(dialog, 'At least', /1 to 100/);
  expect(await start.isDisabled(), 'a wrong number of speakers can be sent');
  await dialog.getByLabel('At least').fill('');
  await start.click();
  await page.getByRole('button', { name: 'Rename Speaker A' }).click({ timeout: LONG_MS });
  const name = page.getByLabel('Name of speaker A');
  await name.fill('n'.repeat(101));
  expect((await name.inputValue()).length === 100, 'a name of more than 100 characters can be written');
  await name.press('Escape');
}

async function taskFields(page, start) {
  await page.getByRole('button', { name: 'Add a task' }).click();
  const task = page.locator('fieldset.task');
  await expectFieldError(task, 'Instructions', 'Write what the model should do.');
  await task.getByLabel('Instructions').fill('List what each person promised to do.');
  await task.getByLabel('Id', { exact: true }).fill('My task');
  await expectFieldError(task, 'Id', /small letters/);
  await task.getByLabel('Id', { exact: true }).fill('promises');
  await task.getByLabel('Answer').selectOption('json_schema');
  const schema = task.getByLabel('JSON Schema');
  await schema.fill('{ "type": ');
  await expectText(task.locator('.schema-state .field-error'), /\w+/);
  await schema.fill('{ "type": "colour" }');
  await expectText(task.locator('.schema-state'), /"colour" is not a type/);
  expect(await start.isDisabled(), 'a wrong schema can be sent');
  await expectText(page.getByRole('region', { name: 'Settings' }), 'Correct the fields that are marked first.');
  await task.getByRole('button', { name: 'Example' }).click();
  await expectText(task, 'The schema is valid.');
}
