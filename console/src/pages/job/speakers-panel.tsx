// The speakers with their colours and shares. Their names can be changed for display.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Result } from '../../api/types';
import { IconButton } from '../../components/icon-button';
import { formatPercent } from '../../format/numbers';
import { formatPosition } from '../../format/time';
import { canWrite } from '../../session';
import type { SpeakerNames } from './speaker-names';

interface SpeakersPanelProps {
  speakers: string[];
  document: Result;
  names: SpeakerNames;
}

export function SpeakersPanel({ speakers, document, names }: SpeakersPanelProps) {
  if (speakers.length === 0) return null;
  const seconds = new Map(document.diarization?.speakers.map((speaker) => [speaker.id, speaker.seconds]));
  const total = [...seconds.values()].reduce((sum, value) => sum + value, 0);
  return (
    <section class="side-panel">
      <h2>Speakers</h2>
      <ul>
        {speakers.map((speaker, index) => (
          <SpeakerEntry
            key={speaker}
            speaker={speaker}
            tone={(index % 8) + 1}
            names={names}
            share={shareText(seconds.get(speaker), total)}
          />
        ))}
      </ul>
    </section>
  );
}

const shareText = (seconds: number | undefined, total: number): string =>
  seconds === undefined || total === 0 ? '' : `${formatPosition(seconds)} · ${formatPercent(seconds / total)}`;

interface SpeakerEntryProps {
  speaker: string;
  tone: number;
  share: string;
  names: SpeakerNames;
}

function SpeakerEntry({ speaker, tone, share, names }: SpeakerEntryProps) {
  const editing = useSignal(false);
  const entry = useRef<HTMLLIElement>(null);
  const name = names.nameOf(speaker);
  // The field also loses the focus when it is removed, after it was saved or left with Escape.
  const save = (value: string) => {
    if (!editing.value) return;
    editing.value = false;
    void names.rename(speaker, value);
  };
  const leave = () => {
    editing.value = false;
    requestAnimationFrame(() => entry.current?.querySelector('button')?.focus());
  };
  return (
    <li ref={entry} class={`speaker-entry tone-${tone}`}>
      <span class="dot" aria-hidden="true" />
      {editing.value ? (
        <input
          type="text"
          aria-label={`Name of speaker ${speaker}`}
          maxLength={100}
          defaultValue={names.names.value[speaker] ?? ''}
          placeholder={`Speaker ${speaker}`}
          ref={(element) => element?.focus()}
          onBlur={(event) => save(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save(event.currentTarget.value);
            if (event.key === 'Enter' || event.key === 'Escape') leave();
          }}
        />
      ) : (
        <>
          <span class="cut">{name}</span>
          <span class="soft small numeric">{share}</span>
          {canWrite.value && (
            <IconButton icon="edit" label={`Rename ${name}`} onClick={() => (editing.value = true)} />
          )}
        </>
      )}
    </li>
  );
}
