// A made-up recording for the transcript that was sent without one: the page has a waveform, and nothing has to be decoded.
import { SECONDS } from './transcript.mjs';

const POINTS = 2000;

// Its sound is only loaded when somebody plays it.
export function pretendRecording(page) {
  const points = Array.from({ length: POINTS }, (_, index) => {
    const loud = Math.round(60 + 50 * Math.sin(index / 7));
    return [-loud, loud];
  });
  const peaks = { object: 'peaks', duration_seconds: String(SECONDS), points };
  return page.route('**/jobs/*/peaks', (route) => route.fulfill({ json: peaks }));
}
