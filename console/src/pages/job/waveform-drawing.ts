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
// What is quieter than this is not enlarged any further: the noise of a silent recording stays small. Peaks are up to 128.
const MIN_FULL_HEIGHT = 10;

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

interface Size {
  width: number;
  height: number;
  // Pixels of the screen for each pixel of the page.
  scale: number;
}

// The picture is painted twice, as played and as not yet played. A frame of the playback only copies a part of each.
export class WaveformDrawing {
  private painted: { picture: WaveformPicture; colours: Colours; size: Size; rest: Layer; played: Layer } | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  draw(picture: WaveformPicture, time: number, colours: Colours): void {
    const size = this.fit();
    const context = this.canvas.getContext('2d');
    if (!context || picture.duration <= 0 || size.width === 0) return;
    const { rest, played } = this.paint(picture, colours, size);
    const { width, height } = this.canvas;
    const x = Math.min(width, Math.max(0, (time / picture.duration) * width));
    context.clearRect(0, 0, width, height);
    // Side by side: a title that is painted over itself looks bold.
    const split = Math.round(x);
    if (split > 0) context.drawImage(played, 0, 0, split, height, 0, 0, split, height);
    if (split < width) context.drawImage(rest, split, 0, width - split, height, split, 0, width - split, height);
    const line = 1.5 * size.scale;
    const top = topOf(picture) * size.scale;
    context.fillStyle = colours.played;
    context.fillRect(Math.min(width - line, Math.max(0, x - line / 2)), top, line, height - top);
  }

  private fit(): Size {
    const { canvas } = this;
    const scale = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    return { width, height, scale };
  }

  private paint(picture: WaveformPicture, colours: Colours, size: Size): { rest: Layer; played: Layer } {
    const old = this.painted;
    if (old?.picture === picture && old.colours === colours && isSame(old.size, size)) return old;
    const rest = paintLayer(picture, colours, colours.wave, size);
    const played = paintLayer(picture, colours, colours.played, size);
    this.painted = { picture, colours, size, rest, played };
    return this.painted;
  }
}

type Layer = HTMLCanvasElement;

const isSame = (one: Size, other: Size): boolean =>
  one.width === other.width && one.height === other.height && one.scale === other.scale;

const topOf = (picture: WaveformPicture): number => (picture.chapters.length > 0 ? TITLE_HEIGHT : 0);

function paintLayer(picture: WaveformPicture, colours: Colours, wave: string, size: Size): Layer {
  const { width, height, scale } = size;
  const layer = document.createElement('canvas');
  layer.width = Math.round(width * scale);
  layer.height = Math.round(height * scale);
  const context = layer.getContext('2d');
  if (!context) return layer;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const x = (seconds: number) => (seconds / picture.duration) * width;
  const top = topOf(picture);
  const bottom = height - (picture.turns.length > 0 ? SPEAKER_HEIGHT + 5 : 0);
  drawChapters(context, picture, colours, x, width, bottom);
  drawBars(context, picture.peaks, { width, top, bottom }, wave);
  drawSpeakers(context, picture, { width, height }, colours);
  return layer;
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
  box: { width: number; top: number; bottom: number },
  colour: string,
): void {
  const step = BAR_WIDTH + BAR_GAP;
  const middle = (box.top + box.bottom) / 2;
  const half = (box.bottom - box.top) / 2 - 1;
  context.fillStyle = colour;
  const bars = Array.from({ length: Math.ceil(box.width / step) }, (_, index) =>
    loudest(peaks, (index * step) / box.width, ((index + 1) * step) / box.width),
  );
  const full = fullHeight(bars);
  bars.forEach((loud, index) => {
    const reach = Math.min(half, Math.max(1, (loud / full) * half));
    context.fillRect(index * step, middle - reach, BAR_WIDTH, reach * 2);
  });
}

// The loudness that fills the height: nearly the greatest one, so that quiet recordings are visible too and a single click
// does not make the rest flat.
function fullHeight(bars: number[]): number {
  const sorted = [...bars].sort((one, other) => one - other);
  return Math.max(MIN_FULL_HEIGHT, sorted[Math.floor(sorted.length * 0.98)] ?? 0);
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
