// A text that is longer than the window follows every jump in its recording, also while nothing plays.
import { analysedRecording } from '../api.mjs';
import { tone } from '../files.mjs';
import { openTab } from './playback.mjs';

const SECONDS = 300;

export async function jumpInLongText(page) {
  const processing = { chapters: {}, entities: {} };
  const job = await analysedRecording({}, processing, tone('tone.wav', SECONDS));
  await openTab(page, job, 'transcript');
  const slider = page.getByRole('slider', { name: 'Position in the recording' });
  await slider.press('End');
  await inView(page, 'last');
  await slider.press('Home');
  await inView(page, 'first');
  await fromTab(page, 'chapters', page.locator('.chapters').getByRole('button').first());
  await fromTab(page, 'entities', page.locator('.entity-groups').getByRole('button').first());
  await playFromThere(page);
}

// A jump from another tab opens the text at that place: here the beginning, while the text was at its end.
async function fromTab(page, tab, button) {
  await page.getByRole('slider', { name: 'Position in the recording' }).press('End');
  await inView(page, 'last');
  await page.getByRole('tab', { name: new RegExp(`^${tab}`, 'i') }).click();
  await button.click();
  await page.getByRole('tab', { name: 'Transcript', selected: true }).waitFor();
  await inView(page, 'first');
  await page.goBack();
  await page.getByRole('tab', { name: new RegExp(`^${tab}`, 'i'), selected: true }).waitFor();
  await page.goForward();
  await inView(page, 'first');
}

// The time of a paragraph says “Play from”, so it plays. A second one only moves: it goes on.
async function playFromThere(page) {
  await firstRow(page).getByRole('button', { name: /^Play from/ }).click();
  await page.getByRole('button', { name: 'Pause (space)' }).waitFor();
  await page.locator('[data-row="2"]').getByRole('button', { name: /^Play from/ }).click();
  await page.getByRole('button', { name: 'Pause (space)' }).click();
  await page.getByRole('button', { name: 'Play (space)' }).waitFor();
}

const firstRow = (page) => page.locator('[data-row="0"]');

// Waits until the text of the first or of the last row is below the player and above the end of the window.
function inView(page, which) {
  return page.waitForFunction((wanted) => {
    const isLast = (row) => row.getAttribute('aria-posinset') === row.getAttribute('aria-setsize');
    const rows = [...document.querySelectorAll('[data-row]')];
    const row = rows.find((entry) => (wanted === 'first' ? entry.dataset.row === '0' : isLast(entry)));
    const text = row?.querySelector('p').getBoundingClientRect();
    const player = document.querySelector('.player').getBoundingClientRect();
    return text && text.top >= player.bottom - 1 && text.top < window.innerHeight;
  }, which);
}
