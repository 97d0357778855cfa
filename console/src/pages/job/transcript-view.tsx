// The transcript as reading text: search, playback highlight, and the list of paragraphs.
import { useSignalEffect } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Result } from '../../api/types';
import { Loading } from '../../components/loading';
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list';
import { ParagraphRow } from './paragraph-row';
import type { Player } from './player';
import { rowEstimate } from './row-estimate';
import { SearchBar } from './search-bar';
import type { SpeakerNames } from './speaker-names';
import { paragraphOfWord, type TranscriptModel } from './transcript-model';
import type { TranscriptState } from './transcript-state';
import { usePlayback } from './use-playback';
import { useWordPointer } from './use-word-pointer';
import { coveredHeight } from './view-of-words';

interface TranscriptViewProps {
  model: TranscriptModel;
  state: TranscriptState;
  document: Result;
  player: Player | null;
  names: SpeakerNames;
  // Changes when the text is divided into other paragraphs, not while it grows.
  version: unknown;
  // Whether this is only the beginning of the text.
  isArriving: boolean;
}

export function TranscriptView(props: TranscriptViewProps) {
  const { model, state, document, player, names, version, isArriving } = props;
  const list = useRef<VirtualListHandle | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const estimate = useMemo(() => rowEstimate(model), [model]);
  const marks = {
    entities: document.entities?.entities ?? [],
    marks: state.marks.value,
    speakers: model.speakers.length,
    matches: state.matches.value,
    currentMatch: state.currentMatch.value,
  };
  useSignalEffect(() => {
    const match = state.matches.value[state.currentMatch.value];
    if (match) list.current?.scrollTo(paragraphOfWord(model, match.firstWord));
  });
  usePlayback(frame, state, player, list);
  const pointer = useWordPointer(frame, model, player);
  return (
    <div class="transcript" ref={frame}>
      <SearchBar state={state} hasPlayer={player !== null} />
      {/* With the keyboard, the button of each paragraph moves there too, and plays. */}
      <div class={player ? 'reading playable' : 'reading'} {...pointer}>
        <VirtualList
          label="Transcript"
          count={model.paragraphs.length}
          version={version}
          handle={list}
          covered={coveredHeight}
          estimate={estimate}
          renderRow={(index) => {
            const paragraph = model.paragraphs[index];
            if (!paragraph) return null;
            const speaker = paragraph.speaker;
            const repeats = index > 0 && model.paragraphs[index - 1]?.speaker === speaker;
            return (
              <ParagraphRow
                model={model}
                paragraph={paragraph}
                speaker={speaker !== null && !repeats ? names.nameOf(speaker) : ''}
                tone={speaker === null ? 0 : model.speakers.indexOf(speaker) % 8}
                marks={marks}
              />
            );
          }}
        />
        {isArriving && <Loading />}
      </div>
    </div>
  );
}
