// A model is installed with progress, cancelled in between, verified and removed. Its name contains markup.
import { LONG_MS, expect, expectText } from '../browser.mjs';
import { openPage } from '../forms/fields.mjs';
import { MARKUP } from '../visitors/markup_text.mjs';
import { expectUnharmed } from '../visitors/unharmed.mjs';
import { control } from './control.mjs';

const NAME = `Small ${MARKUP}`;

export async function installVerifyAndRemove(page) {
  await openPage(page, '/models', 'Models');
  const card = page.locator('.record', { hasText: NAME });
  await expectText(card, 'Not installed');
  await expectUnharmed(page);
  await startAndSeeHalf(page, card);
  await card.getByRole('button', { name: /^Cancel/ }).click();
  await card.getByRole('button', { name: `Install: ${NAME}` }).waitFor({ timeout: LONG_MS });
  await startAndSeeHalf(page, card);
  await page.reload();
  await seeHalf(card);
  await control('POST', '/release');
  await expectText(card, 'Installed', LONG_MS);
  await card.getByRole('button', { name: `Verify: ${NAME}` }).click();
  await expectText(page, /small is verified|its files are intact/i, LONG_MS);
  await card.getByRole('button', { name: `Remove: ${NAME}` }).click();
  const question = page.getByRole('dialog', { name: `Remove “${NAME}”?` });
  await question.getByRole('button', { name: 'Remove' }).click();
  await expectText(card, 'Not installed', LONG_MS);
  const tasks = await page.getByRole('table', { name: 'Recent tasks on models' }).innerText();
  for (const word of ['Cancelled', 'Completed', 'small']) expect(tasks.includes(word), `no ${word} in ${tasks}`);
  await expectUnharmed(page);
}

async function startAndSeeHalf(page, card) {
  await card.getByRole('button', { name: `Install: ${NAME}` }).click();
  await seeHalf(card);
}

// The mirror has sent half of the file and waits.
async function seeHalf(card) {
  await card.locator('[role=progressbar][aria-valuenow="50"]').waitFor({ timeout: LONG_MS });
}
