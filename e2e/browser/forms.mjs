// Wrong input in every form is explained next to the field, and correct input then works.
import { browserTest, signIn } from './browser.mjs';
import { wrongKeyAtSignIn } from './forms/sign_in.mjs';
import { modelsOfHigherPlans, runAgain } from './forms/choices.mjs';
import { analysisForm, analyzeDialog, uploadForm } from './forms/transcribe.mjs';
import { dropOnOtherPages, lastingBadNews, lostEvents, refusedCancel, refusedUpload } from './forms/uploads.mjs';
import { periodForms } from './forms/periods.mjs';
import { creditForm, limitsForm, projectForm, switchProject } from './forms/projects.mjs';
import { keyForm, operatorKeyForm, rotationForm } from './forms/keys.mjs';
import { endpointForm } from './forms/webhooks.mjs';
import { expiredSession, twoWindows } from './forms/sessions.mjs';

await browserTest(async (open) => {
  const { context, page, watch } = await open();
  await wrongKeyAtSignIn(page, watch);
  await signIn(page);
  await uploadForm(page, watch);
  await refusedUpload(page, watch);
  await refusedCancel(page, watch);
  await lostEvents(page, watch);
  await dropOnOtherPages(page);
  await lastingBadNews(open, context);
  await analysisForm(page);
  await modelsOfHigherPlans(page);
  await runAgain(page);
  await projectForm(page, watch);
  await switchProject(page);
  await limitsForm(page, watch);
  await creditForm(page, watch);
  await keyForm(page);
  await rotationForm(page);
  const operatorKey = await operatorKeyForm(page);
  await endpointForm(page, watch);
  await periodForms(page);
  await analyzeDialog(page);
  await twoWindows(context, page);
  await expiredSession(open, context, page, watch, operatorKey);
});
