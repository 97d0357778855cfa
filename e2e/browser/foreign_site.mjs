// A page of another origin cannot use the session of a signed-in visitor: no form, no request and no frame works. One
// page is of another site; the other one is of the same site, so the browser sends the cookie along.
import { createServer } from 'node:http';
import { base, browserTest, expect, expectHeading, launch, signIn } from './browser.mjs';

const STOLEN = '{"name": "stolen"}';

await browserTest(async (open) => {
  const visitor = await open();
  await signIn(visitor.page);
  const state = await visitor.context.storageState();
  const site = createServer((request, response) => response.setHeader('Content-Type', 'text/html').end(page()));
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  const browser = await launch();
  const { port } = site.address();
  for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`]) {
    const context = await browser.newContext({ storageState: state });
    const window = await context.newPage();
    await window.goto(`${base}/jobs`);
    await expectHeading(window, 'Jobs');
    await window.goto(origin);
    await requestsAreRefused(window);
    await framesStayEmpty(window);
    await formsAreRefused(window);
    await context.close();
  }
  await browser.close();
  site.close();
  const answer = await visitor.context.request.get(`${base}/operator/v1/projects`);
  const names = (await answer.json()).data.map((project) => project.name);
  expect(names.join() === 'default', `the projects are now ${names.join()}`);
});

// A form can send a JSON text as plain text: what is before and after the sign of equality.
function page() {
  const [name, value] = STOLEN.replace('stolen', '=stolen').split('=');
  const fields = `<input name='${name}' value='${value}'>`;
  return `<!doctype html><title>Elsewhere</title><iframe src="${base}/jobs"></iframe>
    <form method="post" enctype="text/plain" action="${base}/operator/v1/projects">${fields}<button>Win</button></form>`;
}

async function requestsAreRefused(window) {
  const sent = {
    'a request that reads': ['/console/v1/session', {}],
    'a request with the header': ['/operator/v1/projects', { method: 'POST', headers: { 'X-Auris-Console': '1' } }],
    'a request without an answer': ['/operator/v1/projects', { method: 'POST', mode: 'no-cors' }],
  };
  for (const [what, [path, options]] of Object.entries(sent)) {
    const body = options.method ? STOLEN : undefined;
    const read = await window.evaluate(
      ([url, init]) =>
        fetch(url, { credentials: 'include', ...init }).then(
          (answer) => answer.text(),
          () => '',
        ),
      [base + path, { ...options, body }],
    );
    expect(read === '', `${what} returned: ${read}`);
  }
}

async function framesStayEmpty(window) {
  const frame = window.frames().find((entry) => entry !== window.mainFrame());
  expect(frame !== undefined, 'the page has no frame');
  await frame.waitForLoadState();
  const { url, text } = await frame.evaluate(() => ({ url: location.href, text: document.body.innerText }));
  expect(url.startsWith('chrome-error:') && !/Jobs/.test(text), `the frame shows ${url}: ${text}`);
}

async function formsAreRefused(window) {
  const answered = window.waitForResponse((response) => response.url() === `${base}/operator/v1/projects`);
  await window.getByRole('button', { name: 'Win' }).click();
  const answer = await answered;
  expect(answer.status() === 403, `the form was answered with ${answer.status()}`);
}
