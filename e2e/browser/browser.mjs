// A real browser for the tests of the console. A test fails if a page reports a problem that it did not announce.
import { createRequire } from 'node:module';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Watch } from './watch.mjs';

export const base = setting('AURIS_BASE');
// How long a page may take to show something, and to transcribe, in milliseconds.
export const SHORT_MS = 30_000;
export const LONG_MS = 90_000;

// The pictures of one script, such as target/console-pictures/pages.
const script = basename(process.argv[1], '.mjs');
const pictures = () => join(setting('AURIS_PICTURES'), script);

const packages = createRequire(join(setting('AURIS_BROWSER_PACKAGES'), 'node_modules', 'any.js'));
const { chromium } = packages('playwright-core');
const { source: axeSource } = packages('axe-core');

// Reads an environment variable that the Rust test sets.
export function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; start this script with scripts/test`);
  return value;
}

// Starts the browser, also with further arguments.
export function launch(args = []) {
  const common = ['--no-sandbox', '--mute-audio', '--autoplay-policy=no-user-gesture-required'];
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: [...common, ...args] });
}

// Runs a test with a browser. The process ends with code 1 if the test or a page failed.
export async function browserTest(test, args = []) {
  await rm(pictures(), { recursive: true, force: true });
  const browser = await launch(args);
  const opened = [];
  const failures = [];
  try {
    await test((options) => openVisitor(browser, opened, options));
  } catch (error) {
    failures.push(error.stack ?? String(error));
    await takeFailurePictures(opened);
  }
  await browser.close();
  failures.push(...opened.flatMap(({ watch }) => watch.problems));
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

// A visitor has separate cookies and storage, unless `state` hands over those of another one.
async function openVisitor(browser, opened, options = {}) {
  const { width = 1280, height = 900, scheme = 'light', locale = 'en-GB', zone, motion } = options;
  const { state, permissions = [] } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale,
    timezoneId: zone,
    reducedMotion: motion,
    storageState: state,
    permissions: ['clipboard-read', 'clipboard-write', ...permissions],
  });
  context.setDefaultTimeout(SHORT_MS);
  const watch = new Watch(base);
  context.on('page', (page) => watch.follow(page));
  const page = await context.newPage();
  const visitor = { context, page, watch };
  opened.push(visitor);
  return visitor;
}

// Uses the one-time link, as a newcomer would.
export async function signIn(page) {
  await page.goto(`${base}/sign-in#link=${setting('AURIS_LINK')}`);
  await page.getByRole('heading', { name: 'Transcribe', level: 1 }).waitFor();
}

export async function signInWithKey(page, key) {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function expectText(place, text, timeout = SHORT_MS) {
  const found = place.getByText(text).filter({ visible: true }).first();
  await found.waitFor({ timeout }).catch(() => {
    throw new Error(`the text ${text} did not appear`);
  });
}

export async function expectHeading(page, name) {
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

// Checks the page for problems of accessibility.
export async function axe(page, name) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { preload: false }));
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html).join('\n  ')}`,
  );
  if (found.length > 0) throw new Error(`${name} is not accessible:\n${found.join('\n')}`);
}

export async function picture(page, name, fullPage = true) {
  await mkdir(pictures(), { recursive: true });
  await page.evaluate(stopAnimations);
  await page.screenshot({ path: join(pictures(), `${name}.png`), fullPage });
}

// Those that run by themselves. The browser's driver can stop animations too, but also those that follow a scroll position.
function stopAnimations() {
  for (const animation of document.getAnimations()) {
    if (animation.timeline !== document.timeline) continue;
    if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
    else animation.cancel();
  }
}

// Repeats a check until it returns something; for files and answers of the API, which send no events to wait for.
export async function eventually(what, check, timeout = SHORT_MS) {
  const deadline = Date.now() + timeout;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export function expect(condition, message) {
  if (!condition) throw new Error(message);
}

async function takeFailurePictures(opened) {
  for (const [index, { page }] of opened.entries()) {
    if (!page.isClosed()) await picture(page, `failure-${index + 1}`).catch(() => undefined);
  }
}
