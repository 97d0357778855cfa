// Jumps in the recording, and its speed.
import { base, expect, expectHeading } from '../browser.mjs';

// A click moves the position to the start of the chapter or of the entity, on its tab and beside the transcript.
export async function jumpToChapterAndEntity(page, job) {
  for (const tab of ['chapters', 'transcript']) {
    await openTab(page, job, tab);
    const chapter = page.locator('.chapters li').last();
    await jump(page, chapter.getByRole('button'), secondsOf(await chapter.locator('.numeric').innerText()));
  }
  await openTab(page, job, 'entities');
  const entity = page.locator('.entity-groups').getByRole('button').last();
  await jump(page, entity, await startOfEntity(page, job, await entity.innerText()));
}

// The browser's own player has the speed that was chosen, and plays at it.
export async function playFaster(page, job) {
  await page.addInitScript(() => {
    const play = HTMLMediaElement.prototype.play;
    HTMLMediaElement.prototype.play = function () {
      window.played = this;
      return play.call(this);
    };
  });
  await openTab(page, job, 'transcript');
  const player = page.getByRole('region', { name: 'Recording' });
  await player.getByLabel('Playback speed').selectOption({ label: '2×' });
  await player.getByRole('button', { name: 'Play (space)' }).click();
  const speed = await page.evaluate(async () => {
    const reached = (seconds) =>
      new Promise((resolve) => {
        const look = () => (window.played.currentTime >= seconds ? resolve(performance.now()) : setTimeout(look, 5));
        look();
      });
    const from = await reached(1);
    return 4000 / ((await reached(5)) - from);
  });
  expect(speed > 1.5 && speed < 2.5, `four seconds were played ${speed} times as fast as they are long`);
  await player.getByLabel('Playback speed').selectOption({ label: '0.5×' });
  expect((await page.evaluate(() => window.played.playbackRate)) === 0.5, 'the speed does not change while it plays');
  await player.getByRole('button', { name: 'Pause (space)' }).click();
}

export async function openTab(page, job, tab) {
  await page.goto(`${base}/jobs/${job}?tab=${tab}`);
  await expectHeading(page, /^Transcription (of|from)/);
  await page.getByRole('region', { name: 'Recording' }).waitFor();
}

// From the end, so that a jump to the beginning is one too.
async function jump(page, button, seconds) {
  await page.getByRole('slider', { name: 'Position in the recording' }).press('End');
  await page.waitForFunction(() => Number(document.querySelector('.waveform')?.getAttribute('aria-valuenow')) >= 10);
  await button.click();
  await page.waitForFunction(
    (wanted) => Number(document.querySelector('.waveform')?.getAttribute('aria-valuenow')) === wanted,
    Math.floor(seconds),
  );
}

function secondsOf(position) {
  const [minutes, seconds] = position.split(':').map(Number);
  return minutes * 60 + seconds;
}

async function startOfEntity(page, job, text) {
  const path = `/console/v1/projects/default/jobs/${job}`;
  const read = async (url) => (await page.context().request.get(base + url)).json();
  const { analyses } = await read(`${path}/analyses`);
  const { result } = await read(`/console/v1/projects/default/jobs/${analyses.data[0].job_id}`);
  return result.entities.entities.find((entity) => entity.text === text).start;
}
