// What an operator does on the other pages: models, keys, limits, endpoints, jobs, usage and the system.
import { browserTest, signIn } from './browser.mjs';
import { cancelAndDelete, cancelSeveral, filterJobs, jobOfAnotherProject, pagesOfTheList } from './operator/jobs.mjs';
import { changeLimits, endSessionOfAnother, rotateAndRevokeKey, takeCreditBack } from './operator/projects.mjs';
import { tryAndVerifyModel } from './operator/models.mjs';
import { testRotateAndDeleteEndpoint } from './operator/webhooks.mjs';
import { readSystem, readUsage } from './operator/system.mjs';

await browserTest(async (open) => {
  const { page } = await open();
  await signIn(page);
  await tryAndVerifyModel(page);
  await filterJobs(page);
  await cancelSeveral(page);
  await cancelAndDelete(page);
  await pagesOfTheList(page);
  await jobOfAnotherProject(page);
  await rotateAndRevokeKey(page);
  await endSessionOfAnother(open, page);
  await changeLimits(page);
  await takeCreditBack(page);
  await testRotateAndDeleteEndpoint(page);
  await readUsage(page);
  await readSystem(page);
});
