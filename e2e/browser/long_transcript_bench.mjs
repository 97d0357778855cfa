// Prints frame times and the time to the first text of the long transcript as one line of JSON, for `scripts/bench console`.
import { base, launch, setting, signIn } from './browser.mjs';
import { jump, openTranscript, scrollToEnd, seek, wholeTranscript } from './long_transcript/movements.mjs';
import { pretendRecording } from './long_transcript/recording.mjs';
import { traced } from './long_transcript/trace.mjs';
import { longJob } from './long_transcript/transcript.mjs';

// About as fast as somebody scrolls who looks for a place: 90 pixels in each frame. The trace of more is too large.
const SCROLLED_SHARE = 0.1;
const JUMPS = 120;
const SEEKS = 120;

const rounds = Number(setting('AURIS_ROUNDS'));
const browser = await launch();
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await signIn(page);
  await pretendRecording(page);
  const job = await longJob();
  const firstText = [];
  const movements = { scroll: [], jump: [], seek: [] };
  for (let round = 0; round < rounds; round++) {
    firstText.push(await firstTextOfNewcomer(await context.storageState(), job));
    await page.goto(`${base}/jobs`);
    await openTranscript(page, job);
    await wholeTranscript(page);
    await page.getByRole('region', { name: 'Recording' }).waitFor();
    movements.scroll.push(await traced(browser, page, () => scrollToEnd(page, SCROLLED_SHARE)));
    movements.jump.push(await traced(browser, page, () => jump(page, JUMPS)));
    movements.seek.push(await traced(browser, page, () => seek(page, SEEKS)));
  }
  console.log(JSON.stringify({ first_text: firstText, ...movements }));
} finally {
  await browser.close();
}

// With an empty cache, so that the pages themselves are loaded too.
async function firstTextOfNewcomer(state, job) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, storageState: state });
  const milliseconds = await openTranscript(await context.newPage(), job);
  await context.close();
  return milliseconds;
}
