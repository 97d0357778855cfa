// An endpoint is tested, gets a new secret, and is deleted. Nothing listens at its address, so the test fails visibly.
import { expectText } from '../browser.mjs';
import { openDialog, openPage, takeSecret } from '../forms/fields.mjs';

export async function testRotateAndDeleteEndpoint(page) {
  await openPage(page, '/webhooks', 'Webhooks');
  const creation = await openDialog(page, 'Add an endpoint', 'Add an endpoint');
  await creation.getByLabel('URL').fill('https://127.0.0.1:9/hook');
  await creation.getByRole('button', { name: 'Add' }).click();
  await takeSecret(page, 'Signing secret');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expectText(page, 'Check that the receiver is running and that this server can reach it.');
  const rotation = await openDialog(page, 'Rotate secret', 'Rotate the signing secret');
  await rotation.getByRole('button', { name: 'Rotate' }).click();
  await takeSecret(page, 'Signing secret');
  await page.getByRole('tab', { name: 'Deliveries' }).click();
  await page.getByLabel('Status').waitFor();
  await page.getByRole('tab', { name: 'Endpoints' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expectText(page, 'No endpoints yet');
}
