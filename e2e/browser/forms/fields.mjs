// What the tests of the forms have in common.
import { base, expectHeading } from '../browser.mjs';

// The message belongs to the field with this label, so that readers find it there.
export async function expectFieldError(scope, label, text) {
  const field = scope.locator('.field').filter({ has: scope.page().getByLabel(label, { exact: true }) });
  await field
    .locator('.field-error')
    .filter({ hasText: text })
    .waitFor()
    .catch(() => {
      throw new Error(`no message ${text} at the field “${label}”`);
    });
}

export async function openPage(page, path, heading) {
  await page.goto(base + path);
  await expectHeading(page, heading);
}

// Opens the dialog that a button leads to.
export async function openDialog(page, button, title) {
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.waitFor();
  return dialog;
}

// Copies the secret that is shown once, and closes the dialog.
export async function takeSecret(page, label) {
  const group = page.getByRole('group', { name: label });
  const secret = await group.locator('code').innerText();
  await group.getByRole('button', { name: 'Copy' }).click();
  await group.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  return secret;
}
