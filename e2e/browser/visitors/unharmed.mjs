// Fails if text was taken for HTML.
import { expect } from '../browser.mjs';

export async function expectUnharmed(page) {
  expect(!(await page.evaluate(() => 'hacked' in window)), `a script ran on ${page.url()}`);
  const images = await page.locator('img[src="x"]').count();
  expect(images === 0, `${page.url()} took text for HTML`);
}
