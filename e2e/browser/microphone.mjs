// A recording from the microphone: recorded, paused, continued, stopped, sent, and read. The browser plays the sample
// into a microphone that does not exist.
import { LONG_MS, browserTest, expect, expectHeading, expectText, setting, signIn } from './browser.mjs';

const args = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  `--use-file-for-fake-audio-capture=${setting('AURIS_SAMPLE')}`,
];

await browserTest(async (open) => {
  const { page } = await open({ permissions: ['microphone'] });
  await signIn(page);
  await page.getByRole('button', { name: 'Record from the microphone' }).click();
  const recording = page.getByRole('group', { name: 'Recording' });
  await expectSound(page);
  await recordedSeconds(page, 2);
  await recording.getByRole('button', { name: 'Pause' }).click();
  await expectPause(page, recording);
  await recording.getByRole('button', { name: 'Resume' }).click();
  await recordedSeconds(page, 4);
  await recording.getByRole('button', { name: 'Stop' }).click();
  const name = await page.getByRole('list', { name: 'Chosen files' }).locator('.cut').innerText();
  expect(/^Recording .+\.webm$/.test(name), `the file is called ${name}`);
  await discardAnother(page, name);
  await keepWhenLeaving(page, name);
  await askBeforeLosing(page);
  await page.getByRole('region', { name: 'Settings' }).getByLabel('Model').selectOption('fake-speech');
  await page.getByRole('button', { name: 'Transcribe' }).click();
  const run = page.getByRole('article', { name });
  await expectText(run, /word1/, LONG_MS);
  await expectText(run, 'Completed', LONG_MS);
}, args);

function recordedSeconds(page, seconds) {
  return page.waitForFunction((wanted) => {
    const [minutes, rest] = (document.querySelector('[role=timer]')?.textContent ?? '0:00').split(':').map(Number);
    return minutes * 60 + rest >= wanted;
  }, seconds);
}

function expectSound(page) {
  return page.waitForFunction(() => {
    const bar = document.querySelector('.level-meter > div');
    return bar && bar.getBoundingClientRect().width > 5;
  });
}

// The meter is empty while it pauses.
async function expectPause(page, recording) {
  await recording.getByRole('button', { name: 'Resume' }).waitFor();
  await page.waitForFunction(() => (document.querySelector('.level-meter > div')?.getBoundingClientRect().width ?? 1) < 1);
}

// A recording that was discarded is not a file.
async function discardAnother(page, name) {
  await page.getByRole('button', { name: 'Record from the microphone' }).click();
  await recordedSeconds(page, 1);
  await page.getByRole('group', { name: 'Recording' }).getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Record from the microphone' }).waitFor();
  const files = await page.getByRole('list', { name: 'Chosen files' }).locator('.cut').allInnerTexts();
  expect(files.length === 1 && files[0] === name, `the files are ${files}`);
}

// Another page ends the recording, which is then a file as if it had been stopped.
async function keepWhenLeaving(page, name) {
  await page.getByRole('button', { name: 'Record from the microphone' }).click();
  await recordedSeconds(page, 1);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Jobs' }).click();
  await expectHeading(page, 'Jobs');
  await pages.getByRole('link', { name: 'Transcribe' }).click();
  const files = page.getByRole('list', { name: 'Chosen files' });
  await files.getByRole('listitem').nth(1).waitFor();
  const kept = await files.locator('.cut').nth(1).innerText();
  expect(/^Recording .+\.webm$/.test(kept), `the files are ${name} and ${kept}`);
  await files.getByRole('button', { name: `Remove ${kept}` }).last().click();
  await files.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
}

// A recording that was not sent exists only in this page.
async function askBeforeLosing(page) {
  const isAsked = await page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
  expect(isAsked, 'the page can be closed although a recording was not sent');
  await page.getByRole('button', { name: 'Sign out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign out now?' });
  await expectText(dialog, /recording from the microphone was not sent/);
  await dialog.getByRole('button', { name: 'Stay' }).click();
}
