// The console has a separate address: the calls that it offers to copy name the address of the API.
import { base, browserTest, expect, setting, signIn } from './browser.mjs';

await browserTest(async (open) => {
  const { page } = await open();
  await signIn(page);
  await page.getByText('The same call as code').click();
  for (const language of ['curl', 'Python', 'Node']) {
    await page.locator('.call').getByRole('tab', { name: language }).click();
    const code = await page.locator('.call').getByRole('tabpanel').innerText();
    expect(code.includes(setting('AURIS_API')), `${language} has another address than the API: ${code}`);
    expect(!code.includes(base), `${language} has the address of the console: ${code}`);
  }
});
