// Pages in states that only other machines, failures and running work bring about, and what a project user sees: light
// and dark, wide and narrow, accessible, and with a picture. On a narrow screen also the dialogs.
import { base, browserTest, expectHeading, setting, signIn, signInWithKey } from './browser.mjs';
import { inspect } from './pages/inspect.mjs';
import { dialogsOf, showDialog } from './states/dialogs.mjs';
import { showState, statesOf, userPagesOf } from './states/list.mjs';
import { prepare } from './states/prepare.mjs';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 740 };

await browserTest(async (open) => {
  const first = await open();
  await signIn(first.page);
  const prepared = await prepare(first.page);
  const operator = await first.context.storageState();
  const user = await stateOfUser(open);
  for (const scheme of ['light', 'dark']) {
    for (const size of [WIDE, NARROW]) {
      await showAll(open, { ...size, scheme, state: operator }, 'state', statesOf(prepared));
      await showAll(open, { ...size, scheme, state: user }, 'user', userPagesOf(prepared));
    }
    await showDialogs(open, { ...NARROW, scheme, state: operator }, prepared);
  }
});

async function stateOfUser(open) {
  const { context, page } = await open();
  await page.goto(`${base}/sign-in`);
  await signInWithKey(page, setting('AURIS_KEY'));
  await expectHeading(page, 'Transcribe');
  return context.storageState();
}

async function showAll(open, options, kind, states) {
  const { context, page } = await open(options);
  for (const state of states) {
    await showState(page, state);
    const isWhole = !state.isTranscript && !state.isDialog;
    await inspect(page, `${kind}-${state.name}-${options.scheme}-${options.width}`, isWhole);
  }
  await context.close();
}

async function showDialogs(open, options, prepared) {
  const { context, page } = await open(options);
  for (const dialog of dialogsOf(prepared)) {
    await showDialog(page, dialog);
    await inspect(page, `dialog-${dialog.name}-${options.scheme}-${options.width}`, false);
  }
  await context.close();
}
