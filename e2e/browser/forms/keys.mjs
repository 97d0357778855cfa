// API keys and operator keys.
import { expect, expectText } from '../browser.mjs';
import { expectFieldError, openDialog, openPage, takeSecret } from './fields.mjs';

const TITLE = 'Projects and keys';

export async function keyForm(page) {
  await openPage(page, '/projects?tab=keys', TITLE);
  const dialog = await openDialog(page, 'Create a key', 'Create an API key for “default”');
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

export async function rotationForm(page) {
  const dialog = await openDialog(page, 'Rotate importer', 'Rotate the key “importer”');
  await dialog.getByLabel('How long the old key still works').selectOption('custom');
  for (const wrong of ['0', '1.5', 'soon', '100000']) {
    await dialog.getByLabel('Days').fill(wrong);
    await expectFieldError(dialog, 'Days', /whole number of days/);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    expect(await dialog.isVisible(), `the key was rotated with ${wrong} days`);
  }
  await dialog.getByLabel('Days').fill('2');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await takeSecret(page, 'API key');
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
