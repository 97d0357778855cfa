// The dialogs, each opened by its button.
import { base, expectHeading } from '../browser.mjs';

const KEYS = 'Projects and keys';

export function dialogsOf({ analysed, running }) {
  return [
    { name: 'analyze', path: `/jobs/${analysed}`, heading: /^Transcription (of|from)/, press: 'Analyze' },
    { name: 'delete-content', path: `/jobs/${analysed}`, heading: /^Transcription (of|from)/, press: 'Delete content' },
    { name: 'cancel-job', path: `/jobs/${running}`, heading: /^Transcription (of|from)/, press: /^Cancel/ },
    { name: 'endpoint', path: '/webhooks', heading: 'Webhooks', press: 'Add an endpoint' },
    { name: 'rotate-secret', path: '/webhooks', heading: 'Webhooks', press: 'Rotate secret' },
    { name: 'delete-endpoint', path: '/webhooks', heading: 'Webhooks', press: 'Delete' },
    { name: 'resend', path: '/webhooks?tab=deliveries', heading: 'Webhooks', press: 'Resend all failed' },
    { name: 'project', path: '/projects', heading: KEYS, press: 'Create a project' },
    { name: 'limits', path: '/projects', heading: KEYS, press: 'Plan and limits of default' },
    { name: 'credit', path: '/projects', heading: KEYS, press: 'Credit of default' },
    { name: 'key', path: '/projects?tab=keys', heading: KEYS, press: 'Create a key' },
    { name: 'rotate-key', path: '/projects?tab=keys', heading: KEYS, press: /^Rotate/ },
    { name: 'revoke-key', path: '/projects?tab=keys', heading: KEYS, press: /^Revoke/ },
    { name: 'operator-key', path: '/projects?tab=operators', heading: KEYS, press: 'Create an operator key' },
    { name: 'end-session', path: '/projects?tab=operators', heading: KEYS, press: /^End session/ },
  ];
}

export async function showDialog(page, { path, heading, press }) {
  await page.goto(base + path);
  await expectHeading(page, heading);
  await page.getByRole('button', { name: press }).first().click();
  await page.getByRole('dialog').waitFor();
}
