// A key is rotated and revoked, and the limits and the balance of a project are changed.
import { base, expectHeading, expectText, signInWithKey } from '../browser.mjs';
import { openDialog, openPage, takeSecret } from '../forms/fields.mjs';

const TITLE = 'Projects and keys';

export async function rotateAndRevokeKey(page) {
  await openPage(page, '/projects?tab=keys', TITLE);
  const creation = await openDialog(page, 'Create a key', 'Create an API key for “default”');
  await creation.getByLabel('Name').fill('exporter');
  await creation.getByRole('button', { name: 'Create' }).click();
  await takeSecret(page, 'API key');
  const rotation = await openDialog(page, 'Rotate exporter', 'Rotate the key “exporter”');
  await rotation.getByRole('button', { name: 'Rotate' }).click();
  await takeSecret(page, 'API key');
  const keys = page.getByRole('list', { name: 'API keys' });
  await keys.getByRole('button', { name: 'Revoke exporter' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expectText(page.getByRole('status'), 'The key was revoked.');
  await expectText(keys, 'Revoked');
}

// Another operator signs in with a new key, is seen in the list, and is signed out from here.
export async function endSessionOfAnother(open, page) {
  await openPage(page, '/projects?tab=operators', TITLE);
  const creation = await openDialog(page, 'Create an operator key', 'Create an operator key');
  await creation.getByLabel('Name').fill('night shift');
  await creation.getByRole('button', { name: 'Create' }).click();
  const key = await takeSecret(page, 'Operator key');
  const other = await open();
  await other.page.goto(`${base}/sign-in`);
  await signInWithKey(other.page, key);
  await expectHeading(other.page, 'Transcribe');
  await page.reload();
  const sessions = page.getByRole('list', { name: 'Sessions of operators' });
  await expectText(sessions.getByRole('listitem').filter({ hasText: 'This session' }), 'Signed in by link');
  await sessions.getByRole('listitem').filter({ hasText: 'night shift' }).getByRole('button', { name: /^End/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
  await expectText(page.getByRole('status'), 'The session was ended.');
  await sessions.getByText('night shift').waitFor({ state: 'hidden' });
  other.watch.allowRefusal(401, /^\/(console|operator)\/v1\//);
  await other.page.goto(`${base}/jobs`);
  await expectHeading(other.page, 'Sign in');
  await other.context.close();
}

export async function changeLimits(page) {
  await openPage(page, '/projects', TITLE);
  const dialog = await openDialog(page, 'Plan and limits of default', 'Plan and limits of “default”');
  await dialog.getByLabel('Plan').selectOption('pro');
  await dialog.getByLabel('Requests per minute').fill('100000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expectText(page.getByRole('list', { name: 'Projects' }), '100,000');
}

export async function takeCreditBack(page) {
  for (const [change, amount, balance] of [
    [null, '10', '$10.00'],
    ['take', '2.50', '$7.50'],
    ['remove', null, 'Unlimited'],
  ]) {
    const dialog = await openDialog(page, 'Credit of default', 'Credit of “default”');
    if (change) await dialog.getByLabel('Change').selectOption(change);
    if (amount) await dialog.getByLabel('Amount in US dollars').fill(amount);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expectText(page.getByRole('list', { name: 'Projects' }), balance);
  }
}
