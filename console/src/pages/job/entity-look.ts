// How the entities of a type are marked: with a colour that no speaker has, and with a line below the text.

const TONES = 8;
const LINES = ['', ' dashed', ' dotted'];

// Types are counted from 0. The line tells types apart from those, and from speakers, whose colour they have to share.
export function entityLook(type: number, speakers: number): string {
  const place = speakers + Math.max(0, type);
  return `entity tone-${(place % TONES) + 1}${LINES[Math.floor(place / TONES) % LINES.length]}`;
}
