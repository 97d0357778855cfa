// Saves text as a file on the reader's computer.

export function saveFile(name: string, mediaType: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after the click, so the address must live a little longer.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
