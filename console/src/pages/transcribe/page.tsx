// Files or a recording in, text out: with the model, the language and the analyses that follow.
import { listModels, modelsFor } from '../../api/models';
import { ErrorBox } from '../../components/error-box';
import { Loading } from '../../components/loading';
import { PageHeader } from '../../components/page-header';
import { ProcessingFields } from '../../processing/processing-fields';
import { maxUploadBytes, project } from '../../session';
import { useResource } from '../../use-resource';
import { ChosenList } from './chosen-list';
import { chooseFiles, chooseRecording } from './chosen-files';
import { DropZone } from './drop-zone';
import { Microphone } from './microphone';
import { RunCard } from './run-card';
import { runs } from './runs';
import { SettingsCard } from './settings-card';
import { formErrors, processingForm } from './settings';
import { useModelOfAddress } from './use-model-of-address';

export function TranscribePage() {
  const models = useResource(project.value, (signal) => listModels(project.value, signal));
  const known = models.data.value?.data ?? [];
  useModelOfAddress(models.data.value !== null);
  return (
    <>
      <PageHeader title="Transcribe" intro="Turn recordings into text, and find out what was said." />
      {runs.value.length > 0 && (
        <section class="runs" aria-label="Started transcriptions">
          {runs.value.map((run) => (
            <RunCard key={run.id} run={run} />
          ))}
        </section>
      )}
      {models.error.value && (
        <ErrorBox
          error={models.error.value}
          title="The models could not be loaded."
          onRetry={() => void models.reload()}
        />
      )}
      <div class="transcribe">
        <section class="card stack" aria-label="Audio">
          <DropZone maxBytes={maxUploadBytes.value} onFiles={(files) => chooseFiles(files, maxUploadBytes.value)} />
          <Microphone maxBytes={maxUploadBytes.value} onFile={(file) => chooseRecording(file, maxUploadBytes.value)} />
          <ChosenList />
        </section>
        <SettingsCard models={modelsFor(known, 'transcription')} />
        <section class="card">
          <h2>Then analyze</h2>
          {/* Without models, the fields would switch off what was chosen before. */}
          {models.data.value ? (
            <ProcessingFields
              form={processingForm.value}
              errors={formErrors.value}
              models={known}
              onChange={(form) => (processingForm.value = form)}
            />
          ) : (
            !models.error.value && <Loading />
          )}
        </section>
      </div>
    </>
  );
}
