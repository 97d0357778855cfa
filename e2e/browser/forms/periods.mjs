// Periods that end before they begin, or are too long.
import { expectFieldError, openPage } from './fields.mjs';

export async function periodForms(page) {
  await openPage(page, '/jobs', 'Jobs');
  const filters = page.getByRole('form', { name: 'Filters' });
  await filters.getByLabel('From').fill('2026-02-02');
  await filters.getByLabel('To').fill('2026-02-01');
  await expectFieldError(filters, 'To', /not before/);
  await filters.getByLabel('To').fill('2026-02-02');
  await filters.locator('.field-error').waitFor({ state: 'hidden' });
  await openPage(page, '/usage', 'Usage');
  const period = page.locator('.toolbar');
  await period.getByLabel('Period').selectOption('custom');
  for (const [first, last, message] of [
    ['2026-02-02', '2026-02-01', /not before/],
    ['', '2026-02-01', /not before/],
    ['2020-01-01', '2026-02-01', /at most two years/],
  ]) {
    await period.getByLabel('First day').fill(first);
    await period.getByLabel('Last day').fill(last);
    await expectFieldError(period, 'Last day', message);
  }
  await period.getByLabel('First day').fill('2026-01-01');
  await period.locator('.field-error').waitFor({ state: 'hidden' });
}
