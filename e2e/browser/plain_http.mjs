// The console over plain http under a name that is not this machine's: the microphone is refused with an explanation, and
// everything else works.
import { LONG_MS, browserTest, expect, expectText, setting, signIn } from './browser.mjs';

const { hostname } = new URL(setting('AURIS_BASE'));

await browserTest(
  async (open) => {
    const { page } = await open();
    await signIn(page);
    expect(!(await page.evaluate(() => window.isSecureContext)), 'the browser trusts the address');
    const audio = page.getByRole('region', { name: 'Audio' });
    await expectText(audio, 'Recording is not possible at this address.');
    expect((await audio.getByRole('button', { name: /microphone/ }).count()) === 0, 'a recording can be started');
    await page.getByLabel('Audio files').setInputFiles(setting('AURIS_SAMPLE'));
    await page.getByRole('button', { name: 'Transcribe' }).click();
    await expectText(page.getByRole('article', { name: 'inaugural.wav' }), 'Completed', LONG_MS);
    await copyWithoutClipboard(page);
  },
  [`--host-resolver-rules=MAP ${hostname} 127.0.0.1`],
);

// Browsers keep the interface of the clipboard from such pages, so the console copies in another way.
async function copyWithoutClipboard(page) {
  await page.locator('.call > summary').click();
  await page.locator('.call').getByRole('button', { name: /^Cop/ }).click();
  await page.locator('.call').getByRole('button', { name: 'Copied' }).waitFor();
}
