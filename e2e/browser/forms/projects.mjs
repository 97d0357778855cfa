// Projects, their limits and their credit.
import { expect, expectText } from '../browser.mjs';
import { expectFieldError, openDialog, openPage } from './fields.mjs';

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
  await expectText(page.getByRole('status'), 'The project “customers” was created.');
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

export async function limitsForm(page, watch) {
  watch.allowRefusal(400, /^\/operator\/v1\/projects\/customers$/);
  await openPage(page, '/projects', TITLE);
  const dialog = await openDialog(page, 'Plan and limits of customers', 'Plan and limits of “customers”');
  for (const label of ['Requests per minute', 'Transcriptions at a time']) {
    const field = dialog.getByLabel(label);
    const before = await field.inputValue();
    for (const wrong of ['-1', '1.5', 'many']) {
      await field.fill(wrong);
      await expectFieldError(dialog, label, /whole number/);
    }
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(await dialog.isVisible(), `a wrong limit was saved: ${label}`);
    await field.fill(before);
  }
  await dialog.getByLabel('Transcriptions at a time').fill('3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

export async function creditForm(page, watch) {
  watch.allowRefusal(400, /^\/operator\/v1\/projects\/customers\/credit$/);
  await openPage(page, '/projects', TITLE);
  const dialog = await openDialog(page, 'Credit of customers', 'Credit of “customers”');
  for (const wrong of ['', 'ten', '1.2.3']) {
    await dialog.getByLabel('Amount in US dollars').fill(wrong);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectFieldError(dialog, 'Amount in US dollars', /must be an amount/);
  }
  await dialog.getByLabel('Amount in US dollars').fill('10');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expectText(page.getByRole('list', { name: 'Projects' }), '$35.00');
  await moreThanThereIs(page, watch);
}

async function moreThanThereIs(page, watch) {
  watch.allowRefusal(409, /^\/operator\/v1\/projects\/customers\/credit$/);
  const dialog = await openDialog(page, 'Credit of customers', 'Credit of “customers”');
  await dialog.getByLabel('Change').selectOption('take');
  await dialog.getByLabel('Amount in US dollars').fill('1000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expectText(dialog.locator('.field-error, [role=alert]'), /35/);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
}
