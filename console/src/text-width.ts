// How wide a text is in a font, without putting it into the page.
import { lazily } from './format/lazily';

const canvas = lazily(() => document.createElement('canvas').getContext('2d'));

// In pixels. A browser without a canvas gets an estimate.
export function textWidth(text: string, font: string): number {
  const context = canvas();
  if (!context) return text.length * 8;
  context.font = font;
  return context.measureText(text).width;
}
