// The list of jobs is filtered and paged through, for one project and for all of them. A running job is cancelled, and
// the content of another one is deleted.
import { LONG_MS, base, expect, expectHeading, expectText } from '../browser.mjs';
import { analyse, call, finished, transcribe } from '../api.mjs';
import { openPage } from '../forms/fields.mjs';

// Jobs on one page of the list.
const PAGE_SIZE = 25;

export async function filterJobs(page) {
  const job = await finished(await transcribe({}));
  await openPage(page, '/jobs', 'Jobs');
  const link = page.locator(`a[href*="${job}"]`).first();
  await link.waitFor();
  const filters = page.getByRole('form', { name: 'Filters' });
  await filters.getByLabel('Status').selectOption('failed');
  await expectText(page, 'No job matches the filters');
  await filters.getByRole('button', { name: 'Clear' }).click();
  await filters.getByLabel('Kind').selectOption('transcription');
  await link.waitFor();
  await filters.getByLabel('From').fill('2020-01-01');
  await link.waitFor();
  await filters.getByLabel('To').fill('2020-01-02');
  await expectText(page, 'No job matches the filters');
}

// Several jobs are chosen and cancelled together; one that has ended cannot be chosen.
export async function cancelSeveral(page) {
  const ended = await finished(await transcribe({}));
  const running = [];
  for (let count = 0; count < 3; count++) running.push(await transcribe({ prompt: 'fake:delay=3600000' }));
  await openPage(page, '/jobs', 'Jobs');
  for (const job of running) await page.getByRole('checkbox', { name: `Select ${job}` }).check();
  expect(await page.getByRole('checkbox', { name: `Select ${ended}` }).isHidden(), 'a completed job can be chosen');
  await page.getByRole('button', { name: 'Cancel 3 jobs' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 3 jobs' }).click();
  await expectText(page.getByRole('status'), /3 jobs/);
  for (const job of running) {
    await expectText(page.locator('tr', { has: page.locator(`a[href*="${job}"]`) }), 'Cancelled', LONG_MS);
  }
}

export async function cancelAndDelete(page) {
  const running = await transcribe({ prompt: 'fake:delay=20000' });
  await openPage(page, '/jobs', 'Jobs');
  await page.getByRole('checkbox', { name: `Select ${running}` }).check();
  await page.getByRole('button', { name: 'Cancel 1 job' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 job' }).click();
  await expectText(page.getByRole('table'), 'Cancelled', LONG_MS);
  const job = await finished(await transcribe({}));
  await page.goto(`${base}/jobs/${job}`);
  await expectHeading(page, /^Transcription (of|from)/);
  await page.getByRole('region', { name: 'Recording' }).waitFor();
  await page.getByRole('button', { name: 'Delete content' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete forever' }).click();
  await expectText(page, 'The content was deleted');
  await page.getByRole('region', { name: 'Recording' }).waitFor({ state: 'hidden' });
  await page.reload();
  await expectText(page, 'The content was deleted');
  expect((await page.getByRole('button', { name: 'Delete content' }).count()) === 0, 'it can be deleted again');
}

// The way back leads over every page, also after a reload.
export async function pagesOfTheList(page) {
  const analysis = { transcript: { text: 'Hello.' }, processing: { topics: { model: 'fake-text' } } };
  for (let count = 0; count < 2 * PAGE_SIZE; count++) await analyse(analysis);
  const { data: jobs } = await call('GET', '/v1/jobs?limit=100');
  const link = (number) => page.locator(`a[href*="${jobs[(number - 1) * PAGE_SIZE].id}"]`);
  const list = page.getByRole('navigation', { name: 'Pages of the list' });
  await openPage(page, '/jobs', 'Jobs');
  await link(1).waitFor();
  for (const number of [2, 3]) {
    await list.getByRole('button', { name: 'Older' }).click();
    await link(number).waitFor();
  }
  await list.getByRole('button', { name: 'Newer' }).click();
  await link(2).waitFor();
  await page.goBack();
  await link(3).waitFor();
  await page.reload();
  await link(3).waitFor();
  for (const number of [2, 1]) {
    await list.getByRole('button', { name: 'Newer' }).click();
    await link(number).waitFor();
  }
  expect(await list.getByRole('button', { name: 'Newer' }).isDisabled(), 'there is a page before the first one');
}

// A job of another project is in the list of all projects only, and opens in its project.
export async function jobOfAnotherProject(page) {
  const job = await analysisIn(page, 'archive');
  await openPage(page, '/jobs?project=default', 'Jobs');
  await page.getByRole('table').waitFor();
  const link = page.locator(`a[href*="${job}"]`);
  expect((await link.count()) === 0, 'the job is in the list of another project');
  await page.getByRole('radio', { name: 'All projects' }).check();
  await link.waitFor();
  await expectText(page.getByRole('row', { name: new RegExp(job) }), 'archive');
  await link.click();
  await expectHeading(page, /^Analysis (of|from)/);
  expect(new URL(page.url()).searchParams.get('project') === 'archive', `the job has the address ${page.url()}`);
}

async function analysisIn(page, project) {
  const create = (path, data) =>
    page.context().request.post(base + path, {
      headers: { 'X-Auris-Console': '1', 'Idempotency-Key': crypto.randomUUID() },
      data,
    });
  const created = await create('/operator/v1/projects', { name: project });
  expect(created.status() === 201, `the project was not created: ${await created.text()}`);
  const started = await create(`/console/v1/projects/${project}/audio/analyses`, {
    transcript: { text: 'Hello.' },
    processing: { topics: { model: 'fake-text' } },
  });
  expect(started.ok(), `the analysis was not started: ${await started.text()}`);
  return (await started.json()).id;
}
