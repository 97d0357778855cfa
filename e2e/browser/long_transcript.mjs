// A transcript of three hours and 30,000 words: only the rows near the view are in the page.
import { base, browserTest, expect, expectText, signIn } from './browser.mjs';
import { analyse, finished } from './api.mjs';

const SEGMENTS = 2000;
const WORDS_PER_SEGMENT = 15;
const SECONDS = 3 * 3600;
const MOST_ROWS = 300;
const LATE_WORD = 'hippopotamus';

await browserTest(async (open) => {
  const { page, watch } = await open();
  await signIn(page);
  const job = await finished(await analyse({ transcript: longTranscript(), processing: { topics: {} } }));
  watch.allowRefusal(404, /\/peaks$/);
  const started = Date.now();
  await page.goto(`${base}/jobs/${job}`);
  await page.locator('[data-row="0"]').waitFor();
  console.log(`first text after ${Date.now() - started} ms`);
  const { frames, mostRows, lastRow } = await scrollToEnd(page);
  report(frames);
  expect(mostRows <= MOST_ROWS, `${mostRows} rows were in the page`);
  expect(lastRow, 'the last row never appeared');
  await page.getByRole('searchbox', { name: 'Search in the transcript' }).fill(LATE_WORD);
  await expectText(page.getByRole('search'), '1 of 1');
  await page.locator('.match.current', { hasText: LATE_WORD }).waitFor();
});

function longTranscript() {
  const length = SECONDS / SEGMENTS;
  const segments = Array.from({ length: SEGMENTS }, (_, index) => segment(index, index * length, length));
  return {
    text: segments.map(({ text }) => text).join(' '),
    duration_seconds: String(SECONDS),
    language: 'en',
    segments,
  };
}

function segment(id, start, length) {
  const step = length / WORDS_PER_SEGMENT;
  const words = Array.from({ length: WORDS_PER_SEGMENT }, (_, index) => ({
    word: id === SEGMENTS - 5 && index === 3 ? LATE_WORD : `word${id * WORDS_PER_SEGMENT + index}`,
    start: round(start + index * step),
    end: round(start + (index + 1) * step),
    confidence: 1,
  }));
  return { id, start: round(start), end: round(start + length), text: words.map(({ word }) => word).join(' '), words };
}

function round(seconds) {
  return Math.round(seconds * 1000) / 1000;
}

// Scrolls by three views in each frame and counts the rows in the page.
function scrollToEnd(page) {
  return page.evaluate(async () => {
    const frames = [];
    let mostRows = 0;
    let before = performance.now();
    let still = 0;
    while (still < 5 && frames.length < 3000) {
      const top = window.scrollY;
      window.scrollBy(0, window.innerHeight * 3);
      await new Promise(requestAnimationFrame);
      frames.push(performance.now() - before);
      before = performance.now();
      mostRows = Math.max(mostRows, document.querySelectorAll('[data-row]').length);
      still = window.scrollY === top ? still + 1 : 0;
    }
    const last = [...document.querySelectorAll('[data-row]')].at(-1);
    return { frames, mostRows, lastRow: last?.getAttribute('aria-posinset') === last?.getAttribute('aria-setsize') };
  });
}

function report(frames) {
  const sorted = [...frames].sort((one, other) => one - other);
  const part = (share) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]);
  console.log(
    `${frames.length} frames while scrolling: median ${part(0.5)} ms, 95% ${part(0.95)} ms, slowest ${part(1)} ms`,
  );
}
