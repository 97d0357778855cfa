// Model, language and terms, the button that starts, and the same call as code.
import { useEffect, useMemo } from 'preact/hooks';
import { firstChoice } from '../../api/models';
import type { Model } from '../../api/types';
import { Button } from '../../components/button';
import { SelectField } from '../../components/select-field';
import { TextAreaField } from '../../components/text-area-field';
import { plural } from '../../format/numbers';
import { modelOptions } from '../../processing/model-options';
import { query, setQuery } from '../../router';
import { apiUrl, project } from '../../session';
import { Snippets } from '../../snippets/snippets';
import { chosenFiles, refusals } from './chosen-files';
import { languageOptions } from './languages';
import { startRuns } from './runs';
import { formFields, isValid, language, model, processing, prompt } from './settings';

export function SettingsCard({ models }: { models: Model[] }) {
  const languages = useMemo(languageOptions, []);
  useModelOfAddress(query.value.get('model'));
  const chosenModel = models.some((entry) => entry.id === model.value) ? model.value : (firstChoice(models)?.id ?? '');
  const files = chosenFiles.value;
  const start = () => {
    startRuns(project.value, files, (file) => formFields(chosenModel, file.name));
    chosenFiles.value = [];
    refusals.value = [];
    window.scrollTo(0, 0);
  };
  return (
    <section class="card stack settings" aria-label="Settings">
      <SelectField
        label="Model"
        value={chosenModel}
        options={modelOptions(models)}
        onChange={(id) => (model.value = id)}
      />
      <SelectField
        label="Language"
        value={language.value}
        options={languages}
        onChange={(code) => (language.value = code)}
      />
      <TextAreaField
        label="Names and terms"
        value={prompt.value}
        onInput={(text) => (prompt.value = text)}
        rows={2}
        hint="Guides the spelling of words that are likely to occur."
        placeholder="Auris, Ms Okonkwo, IBAN"
      />
      <Button
        kind="primary"
        size="large"
        icon="transcribe"
        disabled={files.length === 0 || !isValid.value || !chosenModel}
        onClick={start}
      >
        {files.length > 1 ? `Transcribe ${plural(files.length, 'file')}` : 'Transcribe'}
      </Button>
      <p class="hint" role="status">
        {startHint(files.length, models.length > 0)}
      </p>
      <details class="call">
        <summary>The same call as code</summary>
        <Snippets
          call={{
            origin: apiUrl.value,
            fileName: files[0]?.name ?? 'call.mp3',
            model: chosenModel || 'auto',
            language: language.value,
            prompt: prompt.value.trim(),
            processing: processing.value,
          }}
        />
      </details>
    </section>
  );
}

// The Models page links here with the model to try.
function useModelOfAddress(wanted: string | null): void {
  useEffect(() => {
    if (!wanted) return;
    model.value = wanted;
    setQuery({ model: null });
  }, [wanted]);
}

function startHint(files: number, hasModels: boolean): string {
  if (!isValid.value) return 'Correct the fields that are marked first.';
  if (!hasModels) return 'No transcription model is available. An operator can install one on the Models page.';
  return files === 0 ? 'Choose a file or record something first.' : '';
}
