// A transcript of three hours and 30,000 words: only the rows near the view are in the page.
import { browserTest, expect, expectText, signIn } from './browser.mjs';
import { jump, openTranscript, scrollToEnd, seek, wholeTranscript } from './long_transcript/movements.mjs';
import { pretendRecording } from './long_transcript/recording.mjs';
import { LATE_WORD, longJob } from './long_transcript/transcript.mjs';

const MOST_ROWS = 300;
// Three windows per frame reach the end soon; `scripts/bench console` scrolls as people do.
const WINDOWS_PER_FRAME = 3;

await browserTest(async (open) => {
  const { page } = await open();
  await signIn(page);
  await pretendRecording(page);
  const job = await longJob();
  await openTranscript(page, job);
  await wholeTranscript(page);
  const { mostRows, atEnd } = await scrollToEnd(page, WINDOWS_PER_FRAME);
  expect(mostRows <= MOST_ROWS, `${mostRows} rows were in the page`);
  expect(atEnd, 'the last row never appeared');
  await jump(page, 20);
  await expectNoGap(page);
  await page.getByRole('region', { name: 'Recording' }).waitFor();
  await seek(page, 20);
  await expectNoGap(page);
  await expectSoughtWord(page);
  await page.getByRole('searchbox', { name: 'Search in the transcript' }).fill(LATE_WORD);
  await expectText(page.getByRole('search'), '1 of 1');
  const match = page.locator('.match.current', { hasText: LATE_WORD });
  await match.waitFor();
  const box = await match.boundingBox();
  expect(box !== null && box.y > 0 && box.y < 900, `the match is at ${box?.y}, out of view`);
});

// The word of the position is coloured, below the player and above the end of the window.
async function expectSoughtWord(page) {
  const { word, top, player } = await page.evaluate(() => {
    const [range] = CSS.highlights.get('playing-word') ?? [];
    const bottom = document.querySelector('.player').getBoundingClientRect().bottom;
    return { word: String(range), top: range?.getBoundingClientRect().top ?? -1, player: bottom };
  });
  expect(top >= player && top < 900, `the word “${word}” of the position is at ${top}, out of view`);
}

// After the jumps, rows cover the whole window.
async function expectNoGap(page) {
  const { top, bottom } = await page.evaluate(() => {
    const rows = [...document.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect());
    return { top: rows[0]?.top ?? Infinity, bottom: rows.at(-1)?.bottom ?? 0 };
  });
  expect(top <= 0 && bottom >= 900, `the rows cover only ${top} to ${bottom}`);
}
