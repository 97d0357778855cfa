// Every page in light and dark, wide and narrow: accessible, no scrolling to the side, and a picture of each.
import { base, browserTest, expect, expectHeading, signIn } from './browser.mjs';
import { smallFirstLoads } from './pages/first_load.mjs';
import { inspect } from './pages/inspect.mjs';
import { exampleJob, pagesOf } from './pages/list.mjs';

const sizes = [
  { width: 1280, height: 900 },
  { width: 360, height: 740 },
];

await browserTest(async (open) => {
  const first = await open();
  await signIn(first.page);
  const state = await first.context.storageState();
  await first.context.close();
  const pages = pagesOf(await exampleJob());
  await smallFirstLoads(open, state, pages.filter((page) => isMain(page) || loadsMore(page)));
  for (const scheme of ['light', 'dark']) {
    for (const size of sizes) {
      const stranger = await open({ ...size, scheme });
      await showPage(stranger.page, { name: 'sign-in', path: '/sign-in', heading: 'Sign in' }, scheme, size.width);
      await stranger.context.close();
      const operator = await open({ ...size, scheme, state });
      // On a narrow screen, `states.mjs` shows the dialogs.
      const shown = size.width < 800 ? pages.filter(({ press }) => !press) : pages;
      for (const page of shown) await showPage(operator.page, page, scheme, size.width);
      await showNotFound(operator.page, scheme, size.width);
      if (size.width < 800) await showMenu(operator.page, scheme, size.width);
      await operator.context.close();
    }
  }
});

// The other tabs and dialogs load what these do.
function isMain({ name, press }) {
  return !press && (name === 'job-transcript' || name === 'job-chapters' || !name.includes('-'));
}

// Tabs that load something besides the job.
function loadsMore({ name }) {
  return ['job-sentiment', 'job-steps', 'job-files'].includes(name);
}

async function showPage(page, { name, path, heading, tab, press }, scheme, width) {
  const title = `${name}-${scheme}-${width}`;
  await page.goto(base + path);
  await expectHeading(page, heading);
  if (tab) await showTab(page, tab);
  if (press) await page.getByRole('button', { name: press }).click();
  if (press) await page.getByRole('dialog').waitFor();
  await page.locator('.loading').first().waitFor({ state: 'hidden' });
  await inspect(page, title, tab !== 'transcript');
}

// An address of the history that no longer exists; the server itself has no document for it.
async function showNotFound(page, scheme, width) {
  await page.evaluate(() => {
    history.pushState(null, '', '/nowhere');
    window.dispatchEvent(new PopStateEvent('popstate'));
  });
  await expectHeading(page, 'Not found');
  await inspect(page, `not-found-${scheme}-${width}`);
}

// On a narrow screen the navigation is a drawer.
async function showMenu(page, scheme, width) {
  await page.goto(`${base}/jobs`);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Webhooks' }).waitFor();
  await inspect(page, `menu-${scheme}-${width}`);
  await closeMenuByKey(page);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await expectHeading(page, 'Webhooks');
}

// The focus was in the drawer, so it returns to the button that opened it.
async function closeMenuByKey(page) {
  const menu = page.getByRole('button', { name: 'Menu' });
  await page.getByRole('link', { name: 'Webhooks' }).focus();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Webhooks' }).waitFor({ state: 'hidden' });
  const hasFocus = await menu.evaluate((element) => element === document.activeElement);
  expect(hasFocus, 'the focus is lost when the menu is closed with Escape');
  await menu.click();
}

// The list of tabs is wider than a narrow screen; the selected one has to be in view.
async function showTab(page, tab) {
  await page.getByRole('region', { name: 'Recording' }).waitFor();
  await page.waitForFunction((id) => {
    const selected = document.querySelector(`[role=tab][aria-selected=true][id$="-${id}"]`);
    const { left, right } = selected?.getBoundingClientRect() ?? { left: -1, right: 0 };
    return left >= 0 && right <= window.innerWidth;
  }, tab);
}
