// A page that is opened by its address, with an empty cache, needs few requests and few bytes.
import { base, expect, expectHeading } from '../browser.mjs';

const MOST_REQUESTS = 10;
const MOST_BYTES = 150 * 1024;

export async function smallFirstLoads(open, state, pages) {
  for (const page of [{ name: 'sign-in', path: '/sign-in', heading: 'Sign in' }, ...pages]) {
    const { context, page: window } = await open(page.name === 'sign-in' ? {} : { state });
    const load = await countRequests(context, window);
    await window.goto(base + withProject(page.path));
    await expectHeading(window, page.heading);
    await window.locator('.loading').first().waitFor({ state: 'hidden' });
    await window.waitForLoadState('networkidle');
    const { paths, bytes } = load;
    expect(paths.length <= MOST_REQUESTS, `${page.name} takes ${paths.length} requests:\n${paths.join('\n')}`);
    expect(bytes() <= MOST_BYTES, `${page.name} takes ${bytes()} bytes`);
    expect(bytes() > 10_000, `the bytes of ${page.name} were not counted`);
    await context.close();
  }
}

// The console itself writes the project into each address.
function withProject(path) {
  return `${path}${path.includes('?') ? '&' : '?'}project=default`;
}

// Bytes as they were sent, which are compressed.
async function countRequests(context, window) {
  const session = await context.newCDPSession(window);
  const paths = [];
  let total = 0;
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith(base)) paths.push(request.url.slice(base.length));
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (total += encodedDataLength));
  await session.send('Network.enable');
  return { paths, bytes: () => total };
}
