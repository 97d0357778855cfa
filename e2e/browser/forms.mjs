// Wrong input in every form is explained next to the field, and correct input then works.
import { browserTest, signIn } from './browser.mjs';
import { wrongKeyAtSignIn } from './forms/sign_in.mjs';
import { analysisForm, uploadForm } from './forms/transcribe.mjs';
import { creditForm, keyForm, operatorKeyForm, projectForm, switchProject } from './forms/projects.mjs';
import { endpointForm } from './forms/webhooks.mjs';
import { expiredSession, twoWindows } from './forms/sessions.mjs';

await browserTest(async (open) => {
  const { context, page, watch } = await open();
  await wrongKeyAtSignIn(page, watch);
  await signIn(page);
  await uploadForm(page, watch);
  await analysisForm(page);
  await projectForm(page, watch);
  await switchProject(page);
  await creditForm(page, watch);
  await keyForm(page);
  const operatorKey = await operatorKeyForm(page);
  await endpointForm(page, watch);
  await twoWindows(context, page);
  await expiredSession(open, context, page, watch, operatorKey);
});
