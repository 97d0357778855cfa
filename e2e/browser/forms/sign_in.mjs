// A key that is not valid.
import { base, expectHeading, expectText, signInWithKey } from '../browser.mjs';

export async function wrongKeyAtSignIn(page, watch) {
  watch.allowRefusal(401, /^\/console\/v1\/session$/);
  await page.goto(`${base}/jobs`);
  await expectHeading(page, 'Sign in');
  await expectText(page, 'Sign in to open this page.');
  await signInWithKey(page, 'ok-this-key-does-not-exist');
  const alert = page.locator('form').getByRole('alert');
  await expectText(alert, 'The sign-in failed.');
  await expectText(alert, /key/i);
  await page.goto(`${base}/sign-in#link=never-printed`);
  await expectText(page.locator('form').getByRole('alert'), /link/i);
}
