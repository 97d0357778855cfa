// What the forms offer: nothing that would be refused, and what a job that failed had chosen.
import { LONG_MS, eventually, expect, expectHeading, expectText } from '../browser.mjs';
import { analyse, call, finished, transcribe } from '../api.mjs';
import { openPage } from './fields.mjs';

const MODELS = '**/projects/*/models';

// Models of a higher plan cannot be chosen, and a model for one language offers no other one.
export async function modelsOfHigherPlans(page) {
  await page.route(MODELS, async (route) => {
    const response = await route.fetch();
    const list = await response.json();
    list.data.push(...restricted(list.data.find(transcribes)));
    await route.fulfill({ response, json: list });
  });
  await openPage(page, '/', 'Transcribe');
  const settings = page.getByRole('region', { name: 'Settings' });
  const language = settings.getByRole('combobox', { name: 'Language' });
  await language.selectOption('de');
  const pro = settings.getByLabel('Model').locator('option', { hasText: 'Pro speech (needs plan pro)' });
  expect(await pro.isDisabled(), 'a model of a higher plan can be chosen');
  await settings.getByLabel('Model').selectOption('english-speech');
  const languages = await language.locator('option').allInnerTexts();
  expect(languages.join() === 'Detect automatically,English', `an English model is offered with ${languages}`);
  expect((await language.inputValue()) === '', 'an English model is asked for German');
  await expectText(settings, 'This model knows only English.');
  await page.unroute(MODELS);
}

const transcribes = (model) => model.capabilities.some(({ capability }) => capability === 'transcription');

function restricted(model) {
  return [
    { ...model, id: 'english-speech', display_name: 'English speech', languages: ['en'], in_plan: true },
    { ...model, id: 'pro-speech', display_name: 'Pro speech', required_plan: 'pro', in_plan: false },
  ];
}

// A failed analysis starts again with the same steps and models.
export async function runAgain(page) {
  await openPage(page, `/jobs/${await failedAnalysis()}`, /^Analysis/);
  await page.getByRole('button', { name: 'Run again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run this analysis again' });
  const isChosen = (stage) => dialog.getByRole('checkbox', { name: new RegExp(`^${stage}`) }).isChecked();
  const task = dialog.getByRole('group', { name: 'Task promises' });
  expect((await task.getByLabel('Model').inputValue()) === 'fake-text', 'the task has another model');
  expect(await isChosen('Summary'), 'the stage of the job is not chosen');
  expect(!(await isChosen('Entities')), 'another stage is chosen');
  await task.getByLabel('Instructions').fill('List the promises.');
  const before = page.url();
  await dialog.getByRole('button', { name: 'Start the analysis' }).click();
  await page.waitForURL((url) => url.href !== before);
  await expectHeading(page, /^Analysis/);
  await expectText(page.locator('.job-facts'), 'Completed', LONG_MS);
}

async function failedAnalysis() {
  const recording = await finished(await transcribe({}));
  const tasks = [{ id: 'promises', model: 'fake-text', instructions: 'List the promises. fake:fail' }];
  const job = await analyse({ job_id: recording, processing: { summary: {}, tasks, failure_policy: 'fail_fast' } });
  await eventually('the failure', async () => (await call('GET', `/v1/jobs/${job}`)).status === 'failed', LONG_MS);
  return job;
}
