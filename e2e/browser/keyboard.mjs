// From the sign-in to the name of a speaker without a mouse: every step only presses keys.
import { LONG_MS, base, browserTest, expect, expectHeading, expectText, setting } from './browser.mjs';

// Presses of Tab after which a control counts as out of reach.
const MOST_STOPS = 80;

await browserTest(async (open) => {
  const { page } = await open();
  await signInByKeys(page);
  await transcribeByKeys(page);
  await playByKeys(page);
  await moveThroughTabs(page);
  await renameByKeys(page);
});

async function signInByKeys(page) {
  await page.goto(`${base}/sign-in`);
  await expectHeading(page, 'Sign in');
  await tabTo(page, page.getByLabel('Key', { exact: true }));
  await page.keyboard.type(setting('AURIS_KEY'));
  await page.keyboard.press('Enter');
  await expectHeading(page, 'Transcribe');
}

async function transcribeByKeys(page) {
  const chosen = page.waitForEvent('filechooser');
  await tabTo(page, page.getByRole('button', { name: 'Choose files' }));
  await page.keyboard.press('Enter');
  await (await chosen).setFiles(setting('AURIS_SAMPLE'));
  await expectText(page.getByRole('list', { name: 'Chosen files' }), 'inaugural.wav');
  const speakers = page.getByRole('checkbox', { name: /^Speakers/ });
  await tabTo(page, speakers);
  await page.keyboard.press('Space');
  expect(await speakers.isChecked(), 'the space bar does not check a stage');
  await tabTo(page, page.getByRole('button', { name: 'Transcribe' }));
  await page.keyboard.press('Enter');
  const run = page.getByRole('article', { name: 'inaugural.wav' });
  await expectText(run, 'Completed', LONG_MS);
  await tabTo(page, run.getByRole('link', { name: 'Open' }));
  await page.keyboard.press('Enter');
  await expectHeading(page, /^Transcription (of|from)/);
}

async function playByKeys(page) {
  const player = page.getByRole('region', { name: 'Recording' });
  await tabTo(page, player.getByRole('button', { name: 'Play (space)' }));
  await page.keyboard.press('Space');
  await positionAtLeast(page, 1);
  await page.keyboard.press('Space');
  await player.getByRole('button', { name: 'Play (space)' }).waitFor();
  await tabTo(page, player.getByRole('slider', { name: 'Position in the recording' }));
  await page.keyboard.press('End');
  await positionAtLeast(page, 5);
  await page.keyboard.press('Home');
  // The button of a paragraph does with the keyboard what a click on a word does with a mouse.
  await tabTo(page, page.getByRole('button', { name: /^Play from/ }).last());
  await page.keyboard.press('Enter');
}

async function moveThroughTabs(page) {
  await tabTo(page, page.getByRole('tab', { name: 'Transcript' }));
  for (const name of [/^Steps/, /^Files/, /^Raw/]) {
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name, selected: true }).waitFor();
    await expectFocus(page.getByRole('tab', { name }));
  }
  await page.keyboard.press('Home');
  await page.getByRole('tab', { name: 'Transcript', selected: true }).waitFor();
}

async function renameByKeys(page) {
  const rename = page.getByRole('button', { name: 'Rename Speaker A' });
  await rename.waitFor({ timeout: LONG_MS });
  await tabTo(page, rename);
  await page.keyboard.press('Enter');
  await expectFocus(page.getByLabel('Name of speaker A'));
  await page.keyboard.type('Anna');
  const saved = page.waitForResponse((response) => /\/speakers$/.test(response.url()));
  await page.keyboard.press('Enter');
  await saved;
  await expectText(page.getByRole('list', { name: 'Transcript' }), 'Anna');
  // The focus stays at the place, so that the next speaker can be named.
  await expectFocus(page.getByRole('button', { name: 'Rename Anna' }));
}

function positionAtLeast(page, seconds) {
  return page.waitForFunction(
    (wanted) => Number(document.querySelector('.waveform')?.getAttribute('aria-valuenow')) >= wanted,
    seconds,
  );
}

// Presses Tab until the control has the focus, which must be visible.
async function tabTo(page, control) {
  await control.waitFor();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await hasFocus(control)) return expectOutline(control);
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MOST_STOPS} presses of Tab do not reach ${control}`);
}

function hasFocus(control) {
  return control.evaluate((element) => element === document.activeElement);
}

async function expectFocus(control) {
  await control.waitFor();
  expect(await hasFocus(control), `${control} does not have the focus`);
}

// Screen readers aside, a reader has to see where the focus is: an outline, a shadow or a border of the accent colour.
async function expectOutline(control) {
  const isMarked = await control.evaluate((element) => {
    const marks = (place) => {
      const { outlineStyle, boxShadow } = getComputedStyle(place);
      return outlineStyle !== 'none' || boxShadow !== 'none';
    };
    return marks(element) || (element.parentElement !== null && marks(element.parentElement));
  });
  expect(isMarked, `${control} does not show that it has the focus`);
}
