// How a recording is read and heard: jumps to chapters and entities, the speed, another locale, and less motion.
import { browserTest, signIn } from './browser.mjs';
import { analysedRecording } from './api.mjs';
import { jumpToChapterAndEntity, playFaster } from './reading/playback.mjs';
import { jumpInLongText } from './reading/long_text.mjs';
import { readInGerman } from './reading/locale.mjs';
import { readWithoutMotion } from './reading/motion.mjs';

await browserTest(async (open) => {
  const { context, page } = await open();
  await signIn(page);
  const state = await context.storageState();
  const job = await analysedRecording({}, { chapters: {}, entities: {}, diarization: {} });
  await jumpToChapterAndEntity(page, job);
  await playFaster(page, job);
  await jumpInLongText(page);
  await readInGerman(open, state, job);
  await readWithoutMotion(open, state);
});
