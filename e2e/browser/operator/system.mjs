// Usage with its file, the checks and the settings.
import { readFile } from 'node:fs/promises';
import { expect, expectText } from '../browser.mjs';
import { openPage } from '../forms/fields.mjs';

export async function readUsage(page) {
  for (const path of ['/usage', '/usage?scope=all']) {
    await openPage(page, path, 'Usage');
    const started = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const table = await readFile(await (await started).path(), 'utf8');
    expect(/fake-speech/.test(table), `the file of ${path} has no fake-speech: ${table}`);
  }
}

export async function readSystem(page) {
  await openPage(page, '/system', 'System');
  await expectText(page, /Refreshes by itself/);
  await page.getByRole('tab', { name: 'Checks' }).click();
  await expectText(page.getByRole('tabpanel'), /database/i);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expectText(page.getByRole('tabpanel'), 'server.listen');
}
