// Draws the waveform with the played part, the speakers below it and the borders of the chapters.

export interface WaveformPicture {
  peaks: [number, number][];
  duration: number;
  // Speaker turns with the number of the speaker's colour.
  turns: { start: number; end: number; tone: number }[];
  chapters: { title: string; start: number }[];
}

interface Colours {
  wave: string;
  played: string;
  line: string;
  text: string;
  page: string;
  tones: string[];
}

// Heights in CSS pixels: chapter titles on top, the wave, and the speakers at the bottom.
const TITLE_HEIGHT = 18;
const SPEAKER_HEIGHT = 7;
// Width of the stretches that get the colour of one speaker.
const SPEAKER_STRETCH = 3;
const BAR_WIDTH = 2;
const BAR_GAP = 1;

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    wave: colour('--wave'),
    played: colour('--accent'),
    line: colour('--line-strong'),
    text: colour('--soft'),
    page: colour('--page'),
    tones: Array.from({ length: 8 }, (_, index) => colour(`--speaker-${index + 1}`)),
  };
}

export function drawWaveform(
  canvas: HTMLCanvasElement,
  picture: WaveformPicture,
  time: number,
  colours: Colours,
): void {
  const scale = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context || picture.duration <= 0) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const x = (seconds: number) => (seconds / picture.duration) * width;
  const top = picture.chapters.length > 0 ? TITLE_HEIGHT : 0;
  const bottom = height - (picture.turns.length > 0 ? SPEAKER_HEIGHT + 5 : 0);
  drawChapters(context, picture, colours, x, width, bottom);
  drawBars(context, picture.peaks, x(time), { width, top, bottom }, colours);
  drawSpeakers(context, picture, { width, height }, colours);
  context.fillStyle = colours.played;
  context.fillRect(Math.min(width - 1.5, Math.max(0, x(time) - 0.75)), top, 1.5, height - top);
}

// In a long recording many turns share one pixel; then each stretch has the colour of who speaks most in it.
function drawSpeakers(
  context: CanvasRenderingContext2D,
  { turns, duration }: WaveformPicture,
  size: { width: number; height: number },
  colours: Colours,
): void {
  const count = Math.ceil(size.width / SPEAKER_STRETCH);
  const seconds = Array.from({ length: count }, () => new Float64Array(colours.tones.length));
  const perStretch = duration / count;
  for (const turn of turns) {
    const last = Math.min(count - 1, Math.floor(turn.end / perStretch));
    for (let index = Math.max(0, Math.floor(turn.start / perStretch)); index <= last; index++) {
      const shared = Math.min(turn.end, (index + 1) * perStretch) - Math.max(turn.start, index * perStretch);
      const stretch = seconds[index];
      const tone = turn.tone % colours.tones.length;
      if (stretch) stretch[tone] = (stretch[tone] ?? 0) + shared;
    }
  }
  seconds.forEach((stretch, index) => {
    const most = Math.max(...stretch);
    if (most < perStretch * 0.2) return;
    context.fillStyle = colours.tones[stretch.indexOf(most)] ?? colours.played;
    context.fillRect(index * SPEAKER_STRETCH, size.height - SPEAKER_HEIGHT, SPEAKER_STRETCH, SPEAKER_HEIGHT);
  });
}

function drawBars(
  context: CanvasRenderingContext2D,
  peaks: [number, number][],
  playedUntil: number,
  box: { width: number; top: number; bottom: number },
  colours: Colours,
): void {
  const step = BAR_WIDTH + BAR_GAP;
  const middle = (box.top + box.bottom) / 2;
  const half = (box.bottom - box.top) / 2 - 1;
  for (let left = 0; left < box.width; left += step) {
    const loud = loudest(peaks, left / box.width, (left + step) / box.width);
    const reach = Math.max(1, (loud / 128) * half);
    context.fillStyle = left < playedUntil ? colours.played : colours.wave;
    context.fillRect(left, middle - reach, BAR_WIDTH, reach * 2);
  }
}

function loudest(peaks: [number, number][], from: number, to: number): number {
  const end = Math.max(Math.floor(from * peaks.length) + 1, Math.floor(to * peaks.length));
  let loud = 0;
  for (let index = Math.floor(from * peaks.length); index < end; index++) {
    const [low, high] = peaks[index] ?? [0, 0];
    loud = Math.max(loud, -low, high);
  }
  return loud;
}

function drawChapters(
  context: CanvasRenderingContext2D,
  picture: WaveformPicture,
  colours: Colours,
  x: (seconds: number) => number,
  width: number,
  bottom: number,
): void {
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'top';
  picture.chapters.forEach((chapter, index) => {
    const left = x(chapter.start);
    const right = x(picture.chapters[index + 1]?.start ?? picture.duration);
    context.fillStyle = colours.line;
    if (left > 1) context.fillRect(left, 0, 1, bottom);
    const text = fit(context, chapter.title, Math.min(right, width) - left - 10);
    context.fillStyle = colours.text;
    if (text) context.fillText(text, left + 5, 2);
  });
}

function fit(context: CanvasRenderingContext2D, text: string, space: number): string {
  if (space < 24) return '';
  if (context.measureText(text).width <= space) return text;
  let length = text.length;
  while (length > 2 && context.measureText(`${text.slice(0, length)}…`).width > space) length -= 1;
  return length > 2 ? `${text.slice(0, length).trimEnd()}…` : '';
}
