// The paths of a project.
import { list, readBody, readJson, sendError, sendJson } from './http.mjs';
import { jobs, makeSteps, results, speakerNames } from './jobs.mjs';
import { startJob, streamEvents } from './live.mjs';
import { account, models, webhooks } from './samples.mjs';
import { makeAudio, makePeaks } from './audio.mjs';

export async function answerConsole(request, response, url) {
  const path = url.pathname.replace(/^\/console\/v1\/projects\/[^/]+/, '');
  if (path === '/models') return sendJson(response, 200, list(models));
  if (path === '/jobs' || path === '/filtered_jobs') return sendJson(response, 200, ofProject(listJobs(url.searchParams)));
  if (path === '/webhooks') return sendJson(response, 200, list(webhooks));
  if (path === '/account') return sendJson(response, 200, account);
  if (path === '/audio/transcriptions') {
    const body = (await readBody(request)).toString('latin1');
    if (body.includes('wrong.txt'))
      return sendError(
        response,
        400,
        'unsupported_audio',
        'The file is not audio that can be decoded. Send WAV, MP3, FLAC, Ogg, MP4 or WebM.',
        'file',
      );
    return sendJson(response, 202, startJob());
  }
  if (path === '/audio/analyses') {
    const body = await readJson(request);
    if (Object.keys(body.processing ?? {}).length === 0)
      return sendError(response, 400, 'nothing_to_process', 'Choose at least one stage or task.', 'processing');
    return sendJson(response, 202, startJob());
  }
  const artifact = /^\/artifacts\/(art_\w+)(\/content)?$/.exec(path);
  if (artifact) return answerArtifact(response, artifact[1], Boolean(artifact[2]));
  const found = /^\/jobs\/(job_\w+)(\/\w+)?$/.exec(path);
  const job = found && jobs.get(found[1]);
  if (!job) return sendError(response, 404, 'job_not_found', 'There is no such job in this project.');
  return answerJob(request, response, job, found[2] ?? '');
}

export function listJobs(query) {
  const wanted = (job) =>
    (!query.get('status') || job.status === query.get('status')) &&
    (!query.get('operation') || job.operation === query.get('operation')) &&
    (!query.get('created_after') || job.created_at >= Number(query.get('created_after'))) &&
    (!query.get('created_before') || job.created_at <= Number(query.get('created_before')));
  const all = [...jobs.values()].filter(wanted).sort((a, b) => b.created_at - a.created_at);
  const start = query.get('after') ? all.findIndex((job) => job.id === query.get('after')) + 1 : 0;
  const limit = Number(query.get('limit') ?? 20);
  const data = all.slice(start, start + limit);
  return { ...list(data), has_more: start + limit < all.length, last_id: data.at(-1)?.id ?? null };
}

const ofProject = (page) => ({ ...page, data: page.data.map((job) => ({ ...job, project: 'default' })) });

const analysesOf = (job) =>
  job.operation === 'transcription' && job.id.endsWith('7') ? ['job_demo0000000000000001'] : [];

const filesOf = (id) => (results.get(id)?.artifacts ?? []).map((file) => ({ ...describeFile(file), job_id: id }));

const describeFile = (file) => ({
  object: 'artifact',
  bytes: '48213',
  status: 'available',
  created_at: 1794700000,
  expires_at: 1797292000,
  ...file,
});

function analysisOf(id) {
  const job = jobs.get(id);
  return { job_id: id, status: 'submitted', error: null, job: job ? { ...job, result: resultOf(job, results.get(id)) } : null };
}

async function answerJob(request, response, job, rest) {
  const result = results.get(job.id);
  if (rest === '') return sendJson(response, 200, { ...job, result: resultOf(job, result) });
  if (rest === '/events') return streamEvents(request, response, job.id);
  if (rest === '/steps') return sendJson(response, 200, { ...list(makeSteps(job)), has_more: false, last_id: null });
  if (rest === '/cancel') return sendJson(response, 200, change(job, { status: 'cancelled', completed_at: Math.floor(Date.now() / 1000) }));
  if (rest === '/content') {
    results.delete(job.id);
    change(job, { result_deleted_at: Math.floor(Date.now() / 1000) });
    return sendJson(response, 200, { deleted: true });
  }
  if (rest === '/analyses')
    return sendJson(response, 200, {
      object: 'recording_analyses',
      recording_job_id: job.id,
      analyses: list(analysesOf(job).map(analysisOf)),
      attempts: list([]),
    });
  if (rest === '/analysis_steps') {
    const steps = { ...list([]), has_more: false, last_id: null };
    return sendJson(response, 200, { object: 'analysis_steps', steps, attempts: list([]) });
  }
  if (rest === '/artifacts') return sendJson(response, 200, list([job.id, ...analysesOf(job)].flatMap(filesOf)));
  if (rest === '/speakers') {
    if (request.method === 'PUT') speakerNames.set(job.id, (await readJson(request)).names);
    return sendJson(response, 200, { object: 'speaker_names', names: speakerNames.get(job.id) ?? {} });
  }
  const duration = Number(result?.transcript?.duration_seconds ?? 0);
  if (!duration) return sendError(response, 404, 'artifact_not_found', 'This job has no recording.');
  if (rest === '/peaks') return sendJson(response, 200, makePeaks(duration));
  if (rest === '/recording') return makeAudio(request, response, duration);
  return sendError(response, 404, 'unknown_path', 'There is no such path.');
}

// A document of more than 1 MiB is an artifact, as on the real server.
function resultOf(job, result) {
  if (!result || !['completed', 'failed'].includes(job.status)) return null;
  if (JSON.stringify(result).length < 1048576) return result;
  return { artifacts: result.artifacts, errors: [], overflow: { artifact_id: `art_${job.id.slice(4)}` } };
}

function answerArtifact(response, id, content) {
  const result = results.get(`job_${id.slice(4)}`);
  if (!content) return sendJson(response, 200, describeFile({ id, purpose: 'transcript.txt', media_type: 'text/plain' }));
  if (result) return sendJson(response, 200, result);
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Disposition': 'attachment; filename="transcript.txt"' });
  return response.end('A transcript.\n');
}

function change(job, changes) {
  Object.assign(job, changes);
  return job;
}
