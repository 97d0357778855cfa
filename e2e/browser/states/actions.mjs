// What somebody does on a page before a state is reached.
import { openDialog } from '../forms/fields.mjs';

// A form that was sent without the required name.
export async function keyWithoutName(page) {
  const dialog = await openKeyForm(page);
  await dialog.getByRole('button', { name: 'Create' }).click();
}

// The key is shown once.
export async function createKey(page) {
  const dialog = await openKeyForm(page);
  await dialog.getByLabel('Name').fill('importer');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('group', { name: 'API key' }).waitFor();
}

export async function taskWithSchema(page) {
  await page.getByRole('button', { name: 'Add a task' }).click();
  await page.getByLabel('Instructions').fill('List what each person promised to do.');
  await page.getByLabel('Answer').selectOption('json_schema');
  await page.getByRole('button', { name: 'Example' }).click();
}

function openKeyForm(page) {
  return openDialog(page, 'Create a key', 'Create an API key for “default”');
}
