// Deliveries to a real receiver: one that fails is sent again by hand, and a test message arrives.
import { LONG_MS, eventually, expect, expectText, setting } from '../browser.mjs';
import { finished, transcribe } from '../api.mjs';
import { openDialog, openPage, takeSecret } from '../forms/fields.mjs';
import { MARKUP } from '../visitors/markup_text.mjs';
import { expectUnharmed } from '../visitors/unharmed.mjs';
import { control } from './control.mjs';

export async function deliverResendAndTest(page) {
  await openPage(page, '/webhooks', 'Webhooks');
  const creation = await openDialog(page, 'Add an endpoint', 'Add an endpoint');
  await creation.getByLabel('URL').fill(setting('AURIS_RECEIVER'));
  await creation.getByRole('button', { name: 'Add' }).click();
  await takeSecret(page, 'Signing secret');
  await sendTest(page);
  const job = await failOnce(page);
  await resend(page, job);
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
