// Deliveries to a real receiver: one that fails is sent again by hand, all that failed are sent again together, and a test
// message arrives. A long list is filtered.
import { LONG_MS, eventually, expect, expectText, setting } from '../browser.mjs';
import { analyse, finished, transcribe } from '../api.mjs';
import { openDialog, openPage, takeSecret } from '../forms/fields.mjs';
import { MARKUP } from '../visitors/markup_text.mjs';
import { expectUnharmed } from '../visitors/unharmed.mjs';
import { control } from './control.mjs';

// Deliveries on a page of the list.
const PAGE_SIZE = 25;

export async function deliverResendAndTest(page) {
  await addEndpoint(page, setting('AURIS_RECEIVER'));
  await sendTest(page);
  const job = await failOnce(page);
  await resend(page, job);
  await resendAllFailed(page);
  await filterLongList(page);
}

async function addEndpoint(page, url) {
  await openPage(page, '/webhooks', 'Webhooks');
  const creation = await openDialog(page, 'Add an endpoint', 'Add an endpoint');
  await creation.getByLabel('URL').fill(url);
  await creation.getByRole('button', { name: 'Add' }).click();
  await takeSecret(page, 'Signing secret');
}

async function sendTest(page) {
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expectText(page, 'The receiver accepted the test message.');
  await control('POST', '/statuses', [503]);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expectText(page, 'The receiver did not accept it.');
  await page.getByText('Start of the answer').click();
  await expectText(page, MARKUP);
  await expectUnharmed(page);
}

// The receiver answers the delivery with an error and a page.
async function failOnce(page) {
  await control('POST', '/statuses', [500]);
  const job = await finished(await transcribe({}));
  await openPage(page, '/webhooks?tab=deliveries', 'Webhooks');
  await expectText(page.getByRole('table', { name: 'Deliveries' }), /500/, LONG_MS);
  await page.getByRole('button', { name: /^job\.completed: details/ }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  await expectText(dialog.getByRole('list', { name: 'Attempts' }), /500/);
  await expectText(dialog.getByRole('list', { name: 'Attempts' }), MARKUP);
  await expectText(dialog, job);
  await expectUnharmed(page);
  return job;
}

async function resend(page, job) {
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  await dialog.getByRole('button', { name: 'Resend' }).click();
  await expectText(dialog.getByRole('list', { name: 'Attempts' }), /204/, LONG_MS);
  await expectText(dialog, 'Delivered', LONG_MS);
  const sent = await eventually('both attempts', async () => {
    const received = JSON.parse(await control('GET', '/received'));
    const ofJob = received.filter(({ body }) => body.includes(job));
    return ofJob.length >= 2 && ofJob;
  });
  expect(new Set(sent.map(({ id }) => id)).size === 1, `the attempts have different ids: ${JSON.stringify(sent)}`);
}

// A receiver that answers 410 wants nothing more: the delivery has failed, and its endpoint is disabled.
async function resendAllFailed(page) {
  await control('POST', '/statuses', [410]);
  const job = await finished(await transcribe({}));
  await openPage(page, '/webhooks?tab=deliveries&status=failed', 'Webhooks');
  const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /410/ });
  await reloadUntil(page, row);
  await openPage(page, '/webhooks', 'Webhooks');
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Enable' }).waitFor({ state: 'hidden' });
  await openPage(page, `/webhooks?tab=deliveries&job_id=${job}`, 'Webhooks');
  const question = await openDialog(page, 'Resend all failed', 'Resend all failed deliveries?');
  await question.getByRole('button', { name: 'Resend' }).click();
  await expectText(page, '1 delivery will be sent again.');
  await expectText(page.getByRole('table', { name: 'Deliveries' }), /204/, LONG_MS);
}

// Two endpoints get each event, so half as many jobs fill more than one page of the list.
async function filterLongList(page) {
  const url = `${setting('AURIS_RECEIVER')}/second`;
  await addEndpoint(page, url);
  const jobs = Math.ceil((PAGE_SIZE + 1) / 2);
  const analysis = { transcript: { text: 'Hello.' }, processing: { topics: {} } };
  for (let count = 0; count < jobs; count++) await finished(await analyse(analysis));
  await openPage(page, '/webhooks?tab=deliveries', 'Webhooks');
  const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
  const older = page.getByRole('button', { name: 'Older' });
  await reloadUntil(page, older);
  expect((await rows.count()) === PAGE_SIZE + 1, `the first page has ${await rows.count()} rows with the head`);
  await older.click();
  // The second page has the rest, and is the last one.
  await rows.nth(PAGE_SIZE).waitFor({ state: 'detached' });
  expect(await older.isDisabled(), 'there is a third page');
  expect((await rows.count()) > 1, 'the second page is empty');
  await page.getByLabel('Endpoint').selectOption({ label: url });
  await page.waitForFunction((wanted) => {
    const cells = [...document.querySelectorAll('.url-cell')].map((cell) => cell.textContent);
    return cells.length > 0 && cells.every((text) => text === wanted);
  }, url);
  expect((await rows.count()) === jobs + 1, `the second endpoint has ${await rows.count()} rows with the head`);
}

// The list refreshes itself only while it shows a delivery that waits.
async function reloadUntil(page, place) {
  await eventually('the deliveries', async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return place.isVisible();
  });
}
