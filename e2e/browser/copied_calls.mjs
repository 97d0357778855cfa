// The calls that the console offers to copy name the address of the API, which the console does not share here, and run:
// with curl, Python and Node, without and with an analysis.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LONG_MS, base, browserTest, eventually, expect, setting, signIn } from './browser.mjs';

const run = promisify(execFile);
// What the fake model hears in the recording.
const SPOKEN = /word1/;

await browserTest(async (open) => {
  const { page } = await open();
  await signIn(page);
  const folder = await mkdtemp(join(tmpdir(), 'auris-calls-'));
  await copyFile(setting('AURIS_SAMPLE'), join(folder, 'inaugural.wav'));
  await page.getByLabel('Audio files').setInputFiles(setting('AURIS_SAMPLE'));
  await page.getByRole('region', { name: 'Settings' }).getByLabel('Model').selectOption('fake-speech');
  await page.locator('.call > summary').click();
  await runAll(page, folder, SPOKEN);
  await page.getByRole('checkbox', { name: /^Summary/ }).check();
  await runAll(page, folder, /summary/);
});

async function runAll(page, folder, expected) {
  const calls = { curl: runCurl, Python: runPython, Node: runNode };
  for (const [language, runCall] of Object.entries(calls)) {
    const code = await copied(page, language);
    expect(code.includes(setting('AURIS_API')), `${language} has another address than the API: ${code}`);
    expect(!code.includes(base), `${language} has the address of the console: ${code}`);
    const printed = await runCall(folder, code);
    expect(expected.test(printed), `${language} printed: ${printed}`);
  }
}

async function copied(page, language) {
  const calls = page.locator('.call');
  await calls.getByRole('tab', { name: language }).click();
  const shown = await calls.locator('pre').innerText();
  await calls.getByRole('button', { name: /^Cop/ }).click();
  const inClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await eventually(`${language} in the clipboard`, async () => (await inClipboard()) === shown);
  return shown;
}

// The first command answers with a job. The second one needs the id of that job, and the job has to be completed.
async function runCurl(folder, code) {
  const [upload, next] = code.split('\n\n');
  const { id } = JSON.parse(await command(folder, 'bash', ['-c', upload]));
  const events = await command(folder, 'curl', ['-sSN', ...authorized(`/v1/jobs/${id}/events`)]);
  expect(events.includes('job.completed'), `the job did not complete: ${events}`);
  const printed = await command(folder, 'bash', ['-c', next], { JOB_ID: id });
  return printed.startsWith('{') ? analysisOf(folder, JSON.parse(printed).id) : printed;
}

async function analysisOf(folder, id) {
  await command(folder, 'curl', ['-sSN', ...authorized(`/v1/jobs/${id}/events`)]);
  return command(folder, 'curl', ['-sS', ...authorized(`/v1/jobs/${id}`)]);
}

function authorized(path) {
  return ['-H', `Authorization: Bearer ${setting('AURIS_KEY')}`, setting('AURIS_API') + path];
}

async function runPython(folder, code) {
  await writeFile(join(folder, 'call.py'), code);
  return command(folder, setting('AURIS_PYTHON'), ['call.py']);
}

async function runNode(folder, code) {
  await writeFile(join(folder, 'call.mjs'), code);
  return command(folder, 'node', ['call.mjs']);
}

async function command(folder, program, words, settings = {}) {
  const env = { PATH: process.env.PATH, HOME: folder, AURIS_API_KEY: setting('AURIS_KEY'), ...settings };
  const { stdout } = await run(program, words, { cwd: folder, env, timeout: LONG_MS });
  return stdout;
}
