// All pages, tabs and dialogs of the console, and a job that fills them.
import { analyse, analysedRecording, finished } from '../api.mjs';

// A job with results in every tab, from three analyses.
export async function exampleJob() {
  const model = 'fake-text';
  const job = await analysedRecording(
    { model: 'moonshine-tiny-en' },
    {
      diarization: { model: 'fake-diarizer' },
      formatting: { model },
      summary: { model, type: 'bullets' },
      chapters: { model },
      entities: { model },
      key_phrases: { model },
      sentiment: { model, granularity: 'utterance' },
      topics: { model },
      tasks: [{ id: 'promises', model, instructions: 'List the promises.' }],
    },
  );
  for (const processing of [{ topics: { model } }, { key_phrases: { model } }]) {
    await finished(await analyse({ job_id: job, processing }));
  }
  return job;
}

export function pagesOf(job) {
  const tabs =
    'transcript formatted summary chapters entities key_phrases sentiment topics tasks steps files developer';
  return [
    { name: 'transcribe', path: '/', heading: 'Transcribe' },
    { name: 'jobs', path: '/jobs', heading: 'Jobs' },
    { name: 'jobs-all', path: '/jobs?scope=all', heading: 'Jobs' },
    ...tabs.split(' ').map((tab) => ({
      name: `job-${tab}`,
      path: `/jobs/${job}?tab=${tab}`,
      heading: /^Transcription (of|from)/,
      tab,
    })),
    { name: 'models', path: '/models', heading: 'Models' },
    { name: 'webhooks', path: '/webhooks', heading: 'Webhooks' },
    { name: 'webhooks-deliveries', path: '/webhooks?tab=deliveries', heading: 'Webhooks' },
    { name: 'webhooks-receiver', path: '/webhooks?tab=receiver', heading: 'Webhooks' },
    { name: 'usage', path: '/usage', heading: 'Usage' },
    { name: 'projects', path: '/projects', heading: 'Projects and keys' },
    { name: 'projects-keys', path: '/projects?tab=keys', heading: 'Projects and keys' },
    { name: 'projects-operators', path: '/projects?tab=operators', heading: 'Projects and keys' },
    { name: 'system', path: '/system', heading: 'System' },
    { name: 'system-checks', path: '/system?tab=checks', heading: 'System' },
    { name: 'system-settings', path: '/system?tab=settings', heading: 'System' },
    { name: 'dialog-analyze', path: `/jobs/${job}`, heading: /^Transcription (of|from)/, press: 'Analyze' },
    { name: 'dialog-endpoint', path: '/webhooks', heading: 'Webhooks', press: 'Add an endpoint' },
    { name: 'dialog-project', path: '/projects', heading: 'Projects and keys', press: 'Create a project' },
    { name: 'dialog-key', path: '/projects?tab=keys', heading: 'Projects and keys', press: 'Create a key' },
  ];
}
