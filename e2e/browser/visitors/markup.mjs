// Text that would run a script if a page took it for HTML. It has to be shown as it is, everywhere.
import { LONG_MS, base, expectHeading, expectText } from '../browser.mjs';
import { analyse, finished } from '../api.mjs';
import { sampleNamed } from '../files.mjs';
import { expectFieldError, openDialog, openPage, takeSecret } from '../forms/fields.mjs';
import { MARKUP } from './markup_text.mjs';
import { expectUnharmed } from './unharmed.mjs';

export async function markupInJobs({ page, watch }) {
  await markupInUpload(page);
  await markupInSpeakerName(page);
  await markupInAnswers(page);
  await markupInText(page);
  watch.allowRefusal(400, /\/jobs\/%3Cimg/);
  watch.allowRefusal(400, /\/filtered_jobs$/);
  await markupInAddresses(page);
}

// The name of the file and the instructions of a task, which the fake model repeats in its answer.
async function markupInUpload(page) {
  await openPage(page, '/', 'Transcribe');
  await page.getByLabel('Audio files').setInputFiles(await sampleNamed(`${MARKUP}.wav`));
  await page.getByRole('checkbox', { name: /^Speakers/ }).check();
  await page.getByRole('button', { name: 'Add a task' }).click();
  await page.getByLabel('Instructions').fill(`Repeat ${MARKUP}`);
  await expectText(page, `${MARKUP}.wav`);
  await page.getByRole('button', { name: 'Transcribe' }).click();
  const run = page.getByRole('article', { name: `${MARKUP}.wav` });
  await expectText(run, 'Completed', LONG_MS);
  await expectUnharmed(page);
  await run.getByRole('link', { name: 'Open' }).click();
  await expectHeading(page, /^Transcription (of|from)/);
}

async function markupInSpeakerName(page) {
  await page.getByRole('button', { name: 'Rename Speaker A' }).click({ timeout: LONG_MS });
  const field = page.getByLabel('Name of speaker A');
  await field.fill(MARKUP);
  const saved = page.waitForResponse((response) => /\/speakers$/.test(response.url()));
  await field.press('Enter');
  await saved;
  await expectText(page.getByRole('list', { name: 'Transcript' }), MARKUP);
  await page.reload();
  await expectText(page.getByRole('list', { name: 'Transcript' }), MARKUP);
  await expectUnharmed(page);
}

async function markupInAnswers(page) {
  for (const name of ['Tasks', 'Steps', 'Files', 'Raw']) {
    await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click({ timeout: LONG_MS });
    if (name === 'Tasks') await expectText(page.getByRole('tabpanel'), MARKUP);
    await expectUnharmed(page);
  }
}

// The transcript, everything that the fake model takes from it, and the metadata.
async function markupInText(page) {
  const stages = ['summary', 'entities', 'chapters', 'key_phrases', 'topics', 'formatting', 'sentiment'];
  const processing = Object.fromEntries(stages.map((stage) => [stage, {}]));
  const transcript = { text: `${MARKUP} said somebody` };
  const job = await finished(await analyse({ transcript, metadata: { note: MARKUP }, processing }));
  for (const tab of ['transcript', 'formatted', ...stages, 'developer']) {
    await page.goto(`${base}/jobs/${job}?tab=${tab}`);
    await expectText(page.locator('.job-facts'), MARKUP);
    await expectUnharmed(page);
  }
}

// The id of a job and a filter, which the message of the server repeats, a tab and a project.
async function markupInAddresses(page) {
  const encoded = encodeURIComponent(MARKUP);
  await page.goto(`${base}/jobs/${encoded}?tab=${encoded}&project=${encoded}`);
  await page.getByRole('alert').first().waitFor();
  await expectUnharmed(page);
  await openPage(page, `/jobs?status=${encoded}&from=${encoded}#${encoded}`, 'Jobs');
  await expectText(page.getByRole('alert').first(), MARKUP);
  await expectUnharmed(page);
}

// A URL contains markup only in its encoded form.
export async function markupInWebhooks(user, operator) {
  const { page, watch } = user;
  watch.allowRefusal(400, /\/webhook_endpoints$/);
  await openPage(page, '/webhooks', 'Webhooks');
  const dialog = await openDialog(page, 'Add an endpoint', 'Add an endpoint');
  await dialog.getByLabel('URL').fill(`https://example.com/?q=${MARKUP}`);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expectFieldError(dialog, 'URL', /percent-encode/);
  await dialog.getByLabel('URL').fill(`https://example.com/?q=${encodeURIComponent(MARKUP)}`);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await takeSecret(page, 'Signing secret');
  for (const visitor of [user, operator]) {
    for (const tab of ['endpoints', 'deliveries', 'receiver']) {
      await openPage(visitor.page, `/webhooks?tab=${tab}`, 'Webhooks');
      await expectUnharmed(visitor.page);
    }
  }
}

// The name of a project cannot contain markup; the message repeats it. The name of a key can.
export async function markupInFormsOfOperators({ page, watch }) {
  watch.allowRefusal(400, /^\/operator\/v1\/projects$/);
  await openPage(page, '/projects', 'Projects and keys');
  const project = await openDialog(page, 'Create a project', 'Create a project');
  await project.getByLabel('Name').fill(MARKUP);
  await project.getByRole('button', { name: 'Create' }).click();
  await expectFieldError(project, 'Name', /letters/);
  await expectUnharmed(page);
  await openPage(page, '/projects?tab=keys', 'Projects and keys');
  const key = await openDialog(page, 'Create a key', 'Create an API key for “default”');
  await key.getByLabel('Name').fill(MARKUP);
  await key.getByRole('button', { name: 'Create' }).click();
  await takeSecret(page, 'API key');
  await expectText(page.getByRole('list', { name: 'API keys' }), MARKUP);
  await expectUnharmed(page);
}
