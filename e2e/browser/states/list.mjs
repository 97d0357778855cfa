// The states of pages, and how each is recognized.
import { base, expectHeading, expectText } from '../browser.mjs';
import { createKey, keyWithoutName, taskWithSchema } from './actions.mjs';

const TRANSCRIPTION = /^Transcription (of|from)/;
const KEYS = '/projects?tab=keys';
const PROJECTS = 'Projects and keys';

export function statesOf({ failed, running, analysing, delivery, empty }) {
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
    { name: 'running-analysis', path: `/jobs/${analysing}`, heading: TRANSCRIPTION, text: 'Open this analysis' },
    { name: 'jobs', path: '/jobs', heading: 'Jobs', text: 'Failed' },
    { name: 'operators', path: '/projects?tab=operators', heading: 'Projects and keys', text: 'This session' },
    { name: 'system', path: '/system', heading: 'System', text: /Refreshes by itself/ },
    { name: 'no-jobs', path: `/jobs?project=${empty}`, heading: 'Jobs', text: 'No jobs yet' },
    { name: 'no-usage', path: `/usage?project=${empty}`, heading: 'Usage', text: 'Nothing was used' },
    { name: 'model-pull', path: '/models', heading: 'Models', text: 'Cancel' },
    { name: 'form-error', path: KEYS, heading: PROJECTS, act: keyWithoutName, text: /Write a name/, isDialog: true },
    { name: 'secret', path: KEYS, heading: PROJECTS, act: createKey, text: 'Done', isDialog: true },
    { name: 'task', path: '/', heading: 'Transcribe', act: taskWithSchema, text: 'The schema is valid.' },
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

export async function showState(page, { path, heading, act, text }) {
  await page.goto(base + path);
  await expectHeading(page, heading);
  await act?.(page);
  await expectText(page.locator('body'), text);
  await page.locator('.loading').first().waitFor({ state: 'hidden' });
}
