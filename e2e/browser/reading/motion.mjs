// A running job moves something on the page, but not for readers who asked for less motion.
import { base, expect, expectText } from '../browser.mjs';
import { call, transcribe } from '../api.mjs';

export async function readWithoutMotion(open, state) {
  const job = await transcribe({ prompt: 'fake:delay=3600000' });
  const usual = await movements(open, state, 'no-preference', job);
  expect(usual.length > 0, 'nothing moves on the page of a running job, so this test shows nothing');
  const reduced = await movements(open, state, 'reduce', job);
  expect(reduced.length === 0, `these move although the reader asked for less: ${reduced}`);
  await call('POST', `/v1/jobs/${job}/cancel`);
}

// The names of the animations that still run when the page is complete. What follows the scrolling of the reader does not
// move by itself.
async function movements(open, state, motion, job) {
  const { context, page } = await open({ state, motion });
  await page.goto(`${base}/jobs/${job}`);
  await expectText(page.locator('.job-facts'), 'Running');
  await expectText(page, 'The text appears here');
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const names = await page.evaluate(() => {
    const moves = ({ playState, timeline }) => playState === 'running' && timeline === document.timeline;
    return document.getAnimations().filter(moves).map(({ animationName }) => animationName);
  });
  await context.close();
  return names;
}
