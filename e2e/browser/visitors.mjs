// What a user of one project can see, names that contain markup, and recordings that are stored in a bucket.
import { browserTest, expectHeading, setting, signIn, signInWithKey, base } from './browser.mjs';
import { noOperatorPages, noOtherProject } from './visitors/limits.mjs';
import { markupInFormsOfOperators, markupInJobs, markupInWebhooks } from './visitors/markup.mjs';
import { nothingOfTheLastVisitor } from './visitors/next_visitor.mjs';
import { nothingToChangeForReaders } from './visitors/reader.mjs';
import { playAndDownload } from './visitors/recording.mjs';

await browserTest(async (open) => {
  const operator = await open();
  await signIn(operator.page);
  const user = await open();
  await user.page.goto(`${base}/sign-in`);
  await signInWithKey(user.page, setting('AURIS_KEY'));
  await expectHeading(user.page, 'Transcribe');
  await noOperatorPages(user);
  await noOtherProject(operator, user);
  await nothingToChangeForReaders(open, operator);
  await playAndDownload(user.page);
  await markupInJobs(user);
  await markupInWebhooks(user, operator);
  await markupInFormsOfOperators(operator);
  await operator.page.goto(base);
  await nothingOfTheLastVisitor(operator);
});
