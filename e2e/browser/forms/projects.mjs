// Projects, their credit and keys, and operator keys.
import { expect, expectText } from '../browser.mjs';
import { expectFieldError, openDialog, openPage, takeSecret } from './fields.mjs';

const TITLE = 'Projects and keys';

export async function projectForm(page, watch) {
  watch.allowRefusal(400, /^\/operator\/v1\/projects/);
  watch.allowRefusal(409, /^\/operator\/v1\/projects$/);
  await openPage(page, '/projects', TITLE);
  const dialog = await openDialog(page, 'Create a project', 'Create a project');
  const create = dialog.getByRole('button', { name: 'Create' });
  await create.click();
  await expectFieldError(dialog, 'Name', /too short/);
  await dialog.getByLabel('Name').fill('<b>');
  await create.click();
  await expectFieldError(dialog, 'Name', /letters/);
  await dialog.getByLabel('Name').fill('default');
  await create.click();
  await expectFieldError(dialog, 'Name', /already exists/);
  await dialog.getByLabel('Name').fill('customers');
  await dialog.getByLabel('Credit in US dollars').fill('much');
  await create.click();
  await expectFieldError(dialog, 'Credit in US dollars', /must be an amount/);
  await dialog.getByLabel('Credit in US dollars').fill('25');
  await dialog.getByLabel('Requests per minute').fill('many');
  await expectFieldError(dialog, 'Requests per minute', /whole number/);
  await dialog.getByLabel('Requests per minute').fill('100');
  await create.click();
  await expectText(page.getByRole('status'), 'The project customers was created.');
  await expectText(page.getByRole('list', { name: 'Projects' }), '$25.00');
}

// An address that names a project needs no list of them, so the list is loaded when somebody wants to choose.
export async function switchProject(page) {
  await openPage(page, '/jobs?project=customers', 'Jobs');
  const switcher = page.getByLabel('Project', { exact: true });
  expect((await switcher.inputValue()) === 'customers', 'the page shows another project than its address');
  await switcher.hover();
  await switcher.selectOption('default');
  await page.waitForURL(/[?&]project=default/);
}

export async function creditForm(page, watch) {
  watch.allowRefusal(400, /^\/operator\/v1\/projects\/customers\/credit$/);
  await openPage(page, '/projects', TITLE);
  const dialog = await openDialog(page, 'Credit of customers', 'Credit of customers');
  for (const wrong of ['', 'ten', '1.2.3']) {
    await dialog.getByLabel('Amount in US dollars').fill(wrong);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectFieldError(dialog, 'Amount in US dollars', /must be an amount/);
  }
  await dialog.getByLabel('Amount in US dollars').fill('10');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expectText(page.getByRole('list', { name: 'Projects' }), '$35.00');
}

export async function keyForm(page) {
  await openPage(page, '/projects?tab=keys', TITLE);
  const dialog = await openDialog(page, 'Create a key', 'Create an API key for default');
  await wrongLifetime(dialog);
  await emptyName(dialog);
  await longName(dialog);
  await dialog.getByLabel('Name').fill('importer');
  for (const scope of [/^Read/, /^Write/]) await dialog.getByRole('checkbox', { name: scope }).uncheck();
  await expectText(dialog.getByRole('alert'), 'Choose at least one.');
  await dialog.getByRole('checkbox', { name: /^Read/ }).check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await takeSecret(page, 'API key');
  await expectText(page.getByRole('list', { name: 'API keys' }), 'importer');
}

export async function operatorKeyForm(page) {
  await openPage(page, '/projects?tab=operators', TITLE);
  const dialog = await openDialog(page, 'Create an operator key', 'Create an operator key');
  await wrongLifetime(dialog);
  await emptyName(dialog);
  await longName(dialog);
  await dialog.getByLabel('Name').fill('night shift');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const key = await takeSecret(page, 'Operator key');
  await expectText(page.getByRole('list', { name: 'Operator keys' }), 'night shift');
  return key;
}

async function wrongLifetime(dialog) {
  await dialog.getByLabel('How long it works').selectOption('custom');
  await dialog.getByLabel('Days').fill('soon');
  await expectFieldError(dialog, 'Days', /whole number of days/);
  await dialog.getByLabel('Days').fill('14');
}

// The API accepts a key without a name, but nobody recognizes it in the list.
async function emptyName(dialog) {
  for (const empty of ['', '   ']) {
    await dialog.getByLabel('Name').fill(empty);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expectFieldError(dialog, 'Name', /Write a name/);
  }
}

async function longName(dialog) {
  await dialog.getByLabel('Name').fill('n'.repeat(65));
  const kept = (await dialog.getByLabel('Name').inputValue()).length;
  expect(kept === 64, `a name of ${kept} characters can be written`);
}
