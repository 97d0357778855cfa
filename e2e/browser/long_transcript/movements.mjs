// Opens the long transcript and moves in it, once per frame of the browser.
import { base } from '../browser.mjs';

// Opens the job by its address, as a copied link does. Returns the milliseconds until the first text was drawn, measured
// by the browser itself from the start of the navigation.
export async function openTranscript(page, job) {
  await page.goto(`${base}/jobs/${job}?project=default`, { waitUntil: 'commit' });
  const drawn = await page.waitForFunction(() => {
    if (!document.querySelector('[data-row="0"] p')?.textContent) return 0;
    // The frame that draws it has begun; its end is the next one's start.
    return new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
  });
  return drawn.jsonValue();
}

// Waits for the whole text: the page shows its beginning before the rest has arrived.
export function wholeTranscript(page) {
  return page.locator('.transcript .loading').waitFor({ state: 'hidden' });
}

// Scrolls to the end, by this share of the window in each frame.
export function scrollToEnd(page, windows) {
  return page.evaluate(async (share) => {
    const frames = [];
    let mostRows = 0;
    let before = await new Promise(requestAnimationFrame);
    let still = 0;
    performance.mark('auris-begin');
    while (still < 5 && frames.length < 3000) {
      const top = window.scrollY;
      window.scrollBy(0, window.innerHeight * share);
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - before);
      before = now;
      mostRows = Math.max(mostRows, document.querySelectorAll('[data-row]').length);
      still = window.scrollY === top ? still + 1 : 0;
    }
    performance.mark('auris-end');
    const last = [...document.querySelectorAll('[data-row]')].at(-1);
    return { frames, mostRows, atEnd: last?.getAttribute('aria-posinset') === last?.getAttribute('aria-setsize') };
  }, windows);
}

// Jumps to this many places by scrolling, as when the scrollbar is dragged or a match of the search is far away.
export function jump(page, times) {
  return page.evaluate(async (count) => {
    const frames = [];
    let before = await new Promise(requestAnimationFrame);
    performance.mark('auris-begin');
    for (let index = 0; index < count; index++) {
      // Steps of the golden ratio reach all parts evenly, and the same ones in every run.
      const share = (index * 0.618034) % 1;
      window.scrollTo(0, share * (document.documentElement.scrollHeight - window.innerHeight));
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - before);
      before = now;
    }
    performance.mark('auris-end');
    return { frames };
  }, times);
}

// Presses on this many places of the waveform, one in each frame; the text follows.
export function seek(page, times) {
  return page.evaluate(async (count) => {
    const frames = [];
    const slider = document.querySelector('.waveform');
    const { left, top, width, height } = slider.getBoundingClientRect();
    const press = (share) =>
      slider.dispatchEvent(
        new PointerEvent('pointerdown', { buttons: 1, clientX: left + share * width, clientY: top + height / 2 }),
      );
    // The browser captures a pointer only if somebody really presses.
    slider.setPointerCapture = () => undefined;
    let before = await new Promise(requestAnimationFrame);
    performance.mark('auris-begin');
    for (let index = 0; index < count; index++) {
      press((index * 0.618034) % 1);
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - before);
      before = now;
    }
    performance.mark('auris-end');
    return { frames };
  }, times);
}
