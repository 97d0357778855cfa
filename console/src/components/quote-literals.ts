// A message of the server for places that show only plain text: what `backticks` mark is put in quotation marks.

export const quoteLiterals = (text: string): string => text.replace(/`([^`]*)`/g, '“$1”');
