// Runs further stages and tasks on the recording of a job, or those of a job again. An analysis works on the recording of
// another job.
import { useSignal } from '@preact/signals';
import { asApiError, type ApiError } from '../../api/error';
import { fileMetadata, fileName } from '../../api/file-name';
import { createAnalysis, listSteps, readAnalyses } from '../../api/jobs';
import { listModels } from '../../api/models';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { ErrorBox } from '../../components/error-box';
import { Notice } from '../../components/notice';
import { ResourceView } from '../../components/resource-view';
import { showToast } from '../../components/toasts';
import { emptyForm, isEmptyForm } from '../../processing/form';
import { formOfSteps } from '../../processing/form-of-steps';
import { ProcessingFields } from '../../processing/processing-fields';
import { toProcessing } from '../../processing/request';
import { validateForm } from '../../processing/validate';
import { href, navigate } from '../../router';
import { useResource } from '../../use-resource';
import type { JobStore } from './job-store';
import type { JobView } from './job-view';

interface AnalyzeDialogProps {
  view: JobView;
  // Whether the form begins with the steps of the job.
  again: boolean;
  onClose: () => void;
}

export function AnalyzeDialog({ view, again, onClose }: AnalyzeDialogProps) {
  const { project, store } = view;
  const form = useSignal(emptyForm());
  const loaded = useResource(store.jobId, async (signal) => {
    const [models, recordingJob, steps] = await Promise.all([
      listModels(project, signal),
      recordingJobOf(store, signal),
      again ? listSteps(project, store.jobId, signal) : null,
    ]);
    if (steps) form.value = formOfSteps(steps.data, models.data);
    return { models: models.data, recordingJob };
  });
  const recordingJob = loaded.data.value?.recordingJob ?? null;
  const busy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const errors = validateForm(form.value);
  const start = async () => {
    busy.value = true;
    error.value = null;
    try {
      const job = await createAnalysis(project, {
        job_id: recordingJob,
        processing: toProcessing(form.value),
        metadata: fileMetadata(fileName(store.job.value)),
      });
      showToast('The analysis was started.');
      onClose();
      if (store.job.value?.operation === 'transcription') await store.reloadAnalyses();
      if (!store.analysisStores.value.some((entry) => entry.jobId === job.id)) navigate(href(`/jobs/${job.id}`));
    } catch (failure) {
      error.value = asApiError(failure);
      busy.value = false;
    }
  };
  return (
    <Dialog
      title={again ? 'Run this analysis again' : 'Analyze this recording'}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="primary"
            busy={busy.value}
            disabled={recordingJob === null || isEmptyForm(form.value) || Object.keys(errors).length > 0}
            onClick={start}
          >
            Start the analysis
          </Button>
        </>
      }
    >
      <p class="soft">
        {again
          ? 'These are the steps and models of the job. Its options and instructions are not stored, so write them again.'
          : 'Choose what to find out. The results appear on this page or as a new job.'}
      </p>
      {error.value && <ErrorBox error={error.value} title="The analysis was not started." />}
      <ResourceView resource={loaded}>
        {({ models }) =>
          recordingJob === null ? (
            <Notice kind="warn">There is no recording to analyze: it was deleted, or only a text was sent.</Notice>
          ) : (
            <ProcessingFields
              form={form.value}
              errors={errors}
              models={models}
              onChange={(changed) => (form.value = changed)}
            />
          )
        }
      </ResourceView>
    </Dialog>
  );
}

async function recordingJobOf(store: JobStore, signal: AbortSignal): Promise<string | null> {
  if (store.job.value?.operation === 'transcription') return store.jobId;
  return (await readAnalyses(store.project, store.jobId, signal)).recording_job_id;
}
