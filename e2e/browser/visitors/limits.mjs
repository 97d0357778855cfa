// A user of one project sees neither the operator's pages nor another project.
import { base, expect, expectHeading, expectText } from '../browser.mjs';

const OPERATOR_PAGES = [
  '/projects',
  '/projects?tab=keys',
  '/projects?tab=operators',
  '/system',
  '/system?tab=settings',
];

export async function noOperatorPages({ page, watch }) {
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
  const names = links.map((name) => name.trim());
  for (const hidden of ['Projects', 'System']) expect(!names.includes(hidden), `the navigation shows ${hidden}`);
  watch.allowRefusal(403, /^\/operator\/v1\//);
  for (const path of OPERATOR_PAGES) {
    await page.goto(base + path);
    await expectText(page.getByRole('main'), /operator key/i);
    const records = await page.getByRole('main').locator('.record, table, dl').count();
    expect(records === 0, `${path} shows data to a user of a project`);
  }
}

export async function noOtherProject(operator, user) {
  const created = await operator.context.request.post(`${base}/operator/v1/projects`, {
    headers: { 'X-Auris-Console': '1' },
    data: { name: 'other' },
  });
  expect(created.status() === 201, `the project was not created: ${await created.text()}`);
  for (const path of ['/jobs', '/account', '/webhooks', '/models']) {
    const answer = await user.context.request.get(`${base}/console/v1/projects/other${path}`);
    expect([403, 404].includes(answer.status()), `${path} of another project: ${answer.status()}`);
  }
  await user.page.goto(`${base}/jobs?project=other`);
  await expectHeading(user.page, 'Jobs');
  const shown = await user.page.locator('.project-name').innerText();
  expect(shown === 'default', `the page shows the project ${shown}`);
}
