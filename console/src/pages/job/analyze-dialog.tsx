// Runs further stages and tasks on the recording of a job.
import { useSignal } from '@preact/signals';
import { asApiError, type ApiError } from '../../api/error';
import { fileMetadata, fileName } from '../../api/file-name';
import { createAnalysis } from '../../api/jobs';
import { listModels } from '../../api/models';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { ErrorBox } from '../../components/error-box';
import { ResourceView } from '../../components/resource-view';
import { showToast } from '../../components/toasts';
import { emptyForm, isEmptyForm } from '../../processing/form';
import { ProcessingFields } from '../../processing/processing-fields';
import { toProcessing } from '../../processing/request';
import { validateForm } from '../../processing/validate';
import { href, navigate } from '../../router';
import { useResource } from '../../use-resource';
import type { JobView } from './job-view';

interface AnalyzeDialogProps {
  view: JobView;
  onClose: () => void;
}

export function AnalyzeDialog({ view, onClose }: AnalyzeDialogProps) {
  const { project, store } = view;
  const models = useResource(project, (signal) => listModels(project, signal));
  const form = useSignal(emptyForm());
  const busy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const errors = validateForm(form.value);
  const start = async () => {
    busy.value = true;
    error.value = null;
    try {
      const job = await createAnalysis(project, {
        job_id: store.jobId,
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
      title="Analyze this recording"
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="primary"
            busy={busy.value}
            disabled={isEmptyForm(form.value) || Object.keys(errors).length > 0}
            onClick={start}
          >
            Start the analysis
          </Button>
        </>
      }
    >
      <p class="soft">Choose what to find out. The results appear on this page or as a new job.</p>
      {error.value && <ErrorBox error={error.value} title="The analysis was not started." />}
      <ResourceView resource={models}>
        {(list) => (
          <ProcessingFields
            form={form.value}
            errors={errors}
            models={list.data}
            onChange={(changed) => (form.value = changed)}
          />
        )}
      </ResourceView>
    </Dialog>
  );
}
