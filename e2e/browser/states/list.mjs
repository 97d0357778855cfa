// The states of pages, and how each is recognized.
import { base, expectHeading, expectText } from '../browser.mjs';

const TRANSCRIPTION = /^Transcription of/;

export function statesOf({ failed, running, analysing, delivery }) {
  return [
    { name: 'endpoints', path: '/webhooks', heading: 'Webhooks', text: 'receiver.example.invalid' },
    { name: 'deliveries', path: '/webhooks?tab=deliveries', heading: 'Webhooks', text: /500/ },
    {
      name: 'delivery',
      path: `/webhooks?tab=deliveries&delivery=${delivery}`,
      heading: 'Webhooks',
      text: /^Attempt 1,/,
      isDialog: true,
    },
    { name: 'failed-job', path: `/jobs/${failed}`, heading: /^Analysis/, text: 'The fake model failed' },
    { name: 'failed-steps', path: `/jobs/${failed}?tab=steps`, heading: /^Analysis/, text: 'The fake model failed' },
    { name: 'running-job', path: `/jobs/${running}`, heading: TRANSCRIPTION, text: 'The text appears here' },
    { name: 'running-steps', path: `/jobs/${running}?tab=steps`, heading: TRANSCRIPTION, text: 'Running' },
    { name: 'running-analysis', path: `/jobs/${analysing}`, heading: TRANSCRIPTION, text: 'Open its job' },
    { name: 'jobs', path: '/jobs', heading: 'Jobs', text: 'Failed' },
    { name: 'operators', path: '/projects?tab=operators', heading: 'Projects and keys', text: 'This session' },
    { name: 'system', path: '/system', heading: 'System', text: /Refreshes by itself/ },
  ];
}

export function userPagesOf({ analysed }) {
  return [
    { name: 'transcribe', path: '/', heading: 'Transcribe', text: 'Drop' },
    { name: 'jobs', path: '/jobs', heading: 'Jobs', text: 'Completed' },
    { name: 'job', path: `/jobs/${analysed}`, heading: TRANSCRIPTION, text: 'word1', isTranscript: true },
    { name: 'models', path: '/models', heading: 'Models', text: /fake/i },
    { name: 'webhooks', path: '/webhooks', heading: 'Webhooks', text: 'receiver.example.invalid' },
    { name: 'usage', path: '/usage', heading: 'Usage', text: 'fake-speech' },
  ];
}

export async function showState(page, { path, heading, text }) {
  await page.goto(base + path);
  await expectHeading(page, heading);
  await expectText(page.locator('body'), text);
  await page.locator('.loading').first().waitFor({ state: 'hidden' });
}
