// A reader in Tokyo who reads German: numbers and dates are German, times are those of Tokyo, words are English.
import { base, expect, expectHeading, expectText } from '../browser.mjs';

export async function readInGerman(open, state, job) {
  const { context, page } = await open({ state, locale: 'de-DE', zone: 'Asia/Tokyo' });
  await page.goto(`${base}/jobs/${job}`);
  await expectHeading(page, /^Transcription (of|from)/);
  const { created_at: created } = await (
    await context.request.get(`${base}/console/v1/projects/default/jobs/${job}`)
  ).json();
  const date = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' });
  const heading = (await page.locator('h1').innerText()).replaceAll('\u00a0', ' ');
  expect(heading.includes(date.format(created * 1000)), `the heading is not German and in Tokyo: ${heading}`);
  await expectText(page.locator('.job-facts'), /^0,0\d+\s\$$/);
  await expectText(page.locator('.job-facts'), 'Completed');
  const speeds = await page.getByLabel('Playback speed').locator('option').allInnerTexts();
  expect(speeds.includes('1,25×'), `the speeds are ${speeds}`);
  await page.goto(`${base}/jobs`);
  await expectText(page.getByRole('table'), /^(\d+ (second|minute)s? ago|now|this minute)$/);
  await page.goto(`${base}/usage`);
  await expectText(page.getByRole('main'), /\d,\d+\s\$/);
  await context.close();
}
