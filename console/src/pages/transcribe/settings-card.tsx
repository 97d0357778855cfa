// Model, language and terms, the button that starts, and the same call as code.
import { useMemo } from 'preact/hooks';
import { firstChoice, usable } from '../../api/models';
import type { Model } from '../../api/types';
import { Button } from '../../components/button';
import { SelectField } from '../../components/select-field';
import { TextAreaField } from '../../components/text-area-field';
import { languageName } from '../../format/names';
import { plural } from '../../format/numbers';
import { modelOptions } from '../../processing/model-options';
import { apiUrl, project } from '../../session';
import { Snippets } from '../../snippets/snippets';
import { chosenFiles, refusals } from './chosen-files';
import { languageOptions } from './languages';
import { startRuns } from './runs';
import { formFields, isValid, language, model, processing, prompt, promptError } from './settings';

export function SettingsCard({ models }: { models: Model[] }) {
  const chosen = usable(models).find(({ id }) => id === model.value) ?? firstChoice(models);
  const languages = useMemo(() => languageOptions(chosen?.languages ?? []), [chosen]);
  const chosenModel = chosen?.id ?? '';
  const chosenLanguage = languages.some(({ value }) => value === language.value) ? language.value : '';
  const files = chosenFiles.value;
  const start = () => {
    startRuns(project.value, files, (file) => formFields({ model: chosenModel, language: chosenLanguage }, file.name));
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
        value={chosenLanguage}
        options={languages}
        {...languageHint(chosen)}
        onChange={(code) => (language.value = code)}
      />
      <TextAreaField
        label="Names and terms"
        value={prompt.value}
        onInput={(text) => (prompt.value = text)}
        rows={2}
        hint="Guides the spelling of words that are likely to occur."
        placeholder="Auris, Ms Okonkwo, IBAN"
        error={promptError.value}
      />
      <Button
        writes
        kind="primary"
        size="large"
        icon="transcribe"
        disabled={files.length === 0 || !isValid.value || !chosenModel}
        onClick={start}
      >
        {files.length > 1 ? `Transcribe ${plural(files.length, 'file')}` : 'Transcribe'}
      </Button>
      <p class="hint" role="status">
        {startHint(files.length, models)}
      </p>
      <details class="call">
        <summary>Copy as curl, Python or Node</summary>
        <Snippets
          call={{
            origin: apiUrl.value,
            fileName: files[0]?.name ?? 'call.mp3',
            model: chosenModel || 'auto',
            language: chosenLanguage,
            prompt: prompt.value.trim(),
            processing: processing.value,
          }}
        />
      </details>
    </section>
  );
}

function languageHint(chosen: Model | undefined): { hint?: string } {
  const [only, ...others] = chosen?.languages ?? [];
  return only && others.length === 0 ? { hint: `This model knows only ${languageName(only)}.` } : {};
}

function startHint(files: number, models: Model[]): string {
  if (!isValid.value) return 'Correct the fields that are marked first.';
  if (models.length > 0 && usable(models).length === 0) return 'These models need a higher plan. Ask an operator.';
  if (models.length === 0) return 'No transcription model is available. An operator can install one on the Models page.';
  return files === 0 ? 'Choose a file or record something first.' : '';
}
