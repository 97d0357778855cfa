// Frame times from the browser's own trace, and what the page computed for each frame.

const CATEGORIES = [
  '-*',
  'blink.user_timing',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-devtools.timeline.frame',
];

// Runs the movement and returns the milliseconds between drawn frames, and the milliseconds of the page's main thread in
// each of them.
export async function traced(browser, page, movement) {
  await browser.startTracing(page, { categories: CATEGORIES });
  const moved = await movement();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  return { ...framesOf(traceEvents), asked: moved.frames };
}

function framesOf(events) {
  const begin = events.find(({ name }) => name === 'auris-begin');
  const end = events.findLast(({ name }) => name === 'auris-end');
  if (!begin || !end) throw new Error('the trace does not contain the marks of the movement');
  const inside = events.filter(({ pid, ts }) => pid === begin.pid && ts >= begin.ts && ts <= end.ts);
  const drawn = inside.filter(({ name }) => name === 'DrawFrame').map(({ ts }) => ts);
  if (drawn.length < 2) throw new Error('the trace contains no frames; look for the name of the event in this browser');
  drawn.sort((one, other) => one - other);
  const tasks = inside.filter(({ name, tid, dur }) => name === 'RunTask' && tid === begin.tid && dur);
  const pairs = drawn.slice(1).map((ts, index) => [drawn[index], ts]);
  return {
    intervals: pairs.map(([from, to]) => (to - from) / 1000),
    work: pairs.map(([from, to]) => workBetween(tasks, from, to) / 1000),
  };
}

function workBetween(tasks, from, to) {
  return tasks.reduce((sum, { ts, dur }) => sum + Math.max(0, Math.min(to, ts + dur) - Math.max(from, ts)), 0);
}
