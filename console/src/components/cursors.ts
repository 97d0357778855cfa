// The way through the pages of a list: the cursor of each page after the first one, up to the page that is shown. It
// is one parameter of the address, so that “Newer” also works after a reload and with the buttons of the browser.

// Maximum number of cursors in the address, which keeps it below 3,000 characters.
const MAX_CURSORS = 100;
const SEPARATOR = '.';

export const readCursors = (text: string | null): string[] => (text ? text.split(SEPARATOR) : []);

export const writeCursors = (cursors: string[]): string => cursors.join(SEPARATOR);

// The `after` of the page that is shown, or null for the first page.
export const currentCursor = (cursors: string[]): string | null => cursors.at(-1) ?? null;

export const olderPage = (cursors: string[], lastId: string): string[] => [...cursors, lastId].slice(-MAX_CURSORS);

export const newerPage = (cursors: string[]): string[] => cursors.slice(0, -1);
