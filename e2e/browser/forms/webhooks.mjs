// The URL of a receiver.
import { expectText } from '../browser.mjs';
import { expectFieldError, openDialog, openPage, takeSecret } from './fields.mjs';

export async function endpointForm(page, watch) {
  watch.allowRefusal(400, /\/webhook_endpoints$/);
  await openPage(page, '/webhooks', 'Webhooks');
  const dialog = await openDialog(page, 'Add an endpoint', 'Add an endpoint');
  for (const wrong of ['', 'example', 'http://example.com/hook', 'ftp://example.com/hook']) {
    await dialog.getByLabel('URL').fill(wrong);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expectFieldError(dialog, 'URL', /https|url/i);
  }
  await dialog.getByLabel('URL').fill('https://example.com/hook');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await takeSecret(page, 'Signing secret');
  await expectText(page.getByRole('list', { name: 'Endpoints' }), 'https://example.com/hook');
}
