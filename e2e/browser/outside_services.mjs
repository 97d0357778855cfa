// What the server does with other machines: a model is installed from a mirror, a model server refuses a job, and a
// receiver gets deliveries. Each of them sends text that would run a script if a page took it for HTML.
import { browserTest, signIn } from './browser.mjs';
import { failedJob } from './outside/jobs.mjs';
import { installVerifyAndRemove } from './outside/models.mjs';
import { deliverResendAndTest } from './outside/webhooks.mjs';

await browserTest(async (open) => {
  const { page } = await open();
  await signIn(page);
  await installVerifyAndRemove(page);
  await failedJob(page);
  await deliverResendAndTest(page);
});
