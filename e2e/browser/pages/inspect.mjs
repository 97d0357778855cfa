// Checks how a page looks: accessible, not wider than the screen, and a picture for people.
import { axe, expect, picture } from '../browser.mjs';

// Most rows of a transcript are not in the page, so a picture of the whole page would be mostly empty.
export async function inspect(page, title, fullPage = true) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow <= 0, `${title} is ${overflow} pixels too wide`);
  await axe(page, title);
  await picture(page, title, fullPage);
}
