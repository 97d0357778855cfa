// Waits until the browser has drawn what was just changed and has nothing else to do, so that work that nobody sees does
// not delay it.

// A page in the background draws no frames; its work continues after this time.
const LONGEST_WAIT_MS = 250;

// The first callback runs before the next frame is drawn, so a second one is needed.
export function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LONGEST_WAIT_MS);
    requestAnimationFrame(() => requestAnimationFrame(() => whenIdle(resolve)));
  });
}

// Safari has no idle callbacks.
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work);
  else setTimeout(work);
}
