// The first ten minutes of a newcomer, with a real model: from the sign-in link to subtitles, and out again.
import { readFile } from 'node:fs/promises';
import { LONG_MS, base, browserTest, expect, expectHeading, expectText, picture, setting, signIn } from './browser.mjs';
import { dropFile } from './files.mjs';
import { transcribeManyFiles } from './newcomer/many_files.mjs';

await browserTest(async (open) => {
  const { context, page, watch } = await open();
  await signIn(page);
  await transcribeAndAnalyse(page);
  await playAndSearch(page);
  await analyseFurther(page);
  await downloadSubtitles(page);
  await moveBetweenPages(page);
  await copyTheCall(page);
  await transcribeManyFiles(context, page);
  await signOut(page, watch);
});

async function transcribeAndAnalyse(page) {
  await dropFile(page, setting('AURIS_SAMPLE'));
  await expectText(page.getByRole('list', { name: 'Chosen files' }), 'inaugural.wav');
  const settings = page.getByRole('region', { name: 'Settings' });
  await settings.getByLabel('Model').selectOption('moonshine-tiny-en');
  await chooseStage(page, 'Summary', 'fake-text');
  await chooseStage(page, 'Entities', 'entities-en');
  await settings.getByRole('button', { name: 'Transcribe' }).click();
  const run = page.getByRole('article', { name: 'inaugural.wav' });
  await expectText(run, /fellow americans/i, LONG_MS);
  await picture(page, 'newcomer-text');
  await run.getByRole('link', { name: 'Open' }).click();
  await expectHeading(page, 'Transcription of inaugural.wav');
  await expectText(page.locator('.job-facts'), 'Completed', LONG_MS);
  await openTab(page, 'Summary');
  await expectText(page.getByRole('tabpanel'), /\w+/);
  await openTab(page, 'Entities');
  await openTab(page, 'Transcript');
}

async function playAndSearch(page) {
  const player = page.getByRole('region', { name: 'Recording' });
  await player.getByRole('button', { name: 'Play (space)' }).click();
  await page.waitForFunction(() => Number(document.querySelector('.waveform')?.getAttribute('aria-valuenow')) >= 1);
  await page.waitForFunction(() => [...(CSS.highlights.get('playing-word') ?? [])].some((range) => `${range}`));
  await player.getByRole('button', { name: 'Pause (space)' }).click();
  await clickLastWord(page);
  await page.waitForFunction(() => Number(document.querySelector('.waveform')?.getAttribute('aria-valuenow')) >= 8);
  await page.getByRole('searchbox', { name: 'Search in the transcript' }).fill('country');
  await expectText(page.getByRole('search'), /^1 of [1-9]$/);
  const match = await page.locator('.match.current').innerText();
  expect(/country/i.test(match), `the search marked “${match}”`);
  await page.getByRole('searchbox', { name: 'Search in the transcript' }).fill('');
}

async function analyseFurther(page) {
  await page.getByRole('button', { name: 'Analyze' }).click();
  const dialog = page.getByRole('dialog', { name: 'Analyze this recording' });
  await chooseStage(dialog, 'Chapters', 'fake-text');
  await dialog.getByRole('button', { name: 'Start the analysis' }).click();
  await openTab(page, /^Chapters/);
  await page.getByRole('tabpanel').locator('.chapter-title').first().waitFor();
  await picture(page, 'newcomer-chapters');
}

async function downloadSubtitles(page) {
  await openTab(page, /^Files/);
  const started = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download Subtitles (SRT)' }).click();
  const download = await started;
  expect(/\.srt$/.test(download.suggestedFilename()), `the subtitles are called ${download.suggestedFilename()}`);
  const subtitles = await readFile(await download.path(), 'utf8');
  expect(/^1\r?\n00:00:0\d,\d{3} --> 00:00:/.test(subtitles), `not subtitles: ${subtitles.slice(0, 200)}`);
  expect(/country/i.test(subtitles), `the subtitles have other words: ${subtitles}`);
}

async function moveBetweenPages(page) {
  const address = page.url();
  await page.reload();
  await page.getByRole('link', { name: 'Download Subtitles (SRT)' }).waitFor();
  expect(page.url() === address, `the reloaded page has the address ${page.url()} instead of ${address}`);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click();
  await expectHeading(page, 'Jobs');
  await page.getByRole('link', { name: /^inaugural\.wav Transcription/ }).waitFor();
  await page.goBack();
  await expectHeading(page, /^Transcription (of|from)/);
  await page.goForward();
  await expectHeading(page, 'Jobs');
}

async function copyTheCall(page) {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Transcribe' }).click();
  await page.getByRole('region', { name: 'Settings' }).getByLabel('Model').selectOption('moonshine-tiny-en');
  await page.getByText('Copy as curl, Python or Node').click();
  await page.locator('.call').getByRole('button', { name: 'Copy' }).click();
  await page.locator('.call').getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.startsWith(`curl ${base}/v1/audio/transcriptions`), `the clipboard has: ${copied}`);
  expect(copied.includes('model=moonshine-tiny-en'), `the snippet has another model: ${copied}`);
}

async function signOut(page, watch) {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectHeading(page, 'Sign in');
  watch.allowRefusal(401, /^\/console\/v1\/session$/);
  await page.goto(`${base}/jobs`);
  await expectHeading(page, 'Sign in');
}

// The text of a paragraph has no elements to click on, so the place of the word is looked up.
async function clickLastWord(page) {
  const paragraph = page.locator('.transcript p').last();
  await paragraph.scrollIntoViewIfNeeded();
  const { x, y } = await paragraph.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = null;
    while (walker.nextNode()) if (walker.currentNode.data.trim()) text = walker.currentNode;
    const range = document.createRange();
    range.setStart(text, text.data.trimEnd().lastIndexOf(' ') + 1);
    range.setEnd(text, text.data.trimEnd().length);
    const { left, top, width, height } = range.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  });
  await page.mouse.move(x, y);
  await page.waitForFunction(() => [...(CSS.highlights.get('pointed-word') ?? [])].some((range) => `${range}`));
  await page.mouse.click(x, y);
}

async function chooseStage(form, title, model) {
  const stage = form.locator('.stage', { hasText: title });
  await stage.getByRole('checkbox').check();
  await stage.getByLabel('Model').selectOption(model);
}

async function openTab(page, name) {
  await page.getByRole('tab', { name }).click({ timeout: LONG_MS });
}
