// The transcript as reading text: search, playback highlight, and the list of paragraphs.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Result } from '../../api/types';
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list';
import { PlaybackHighlight } from './playback-highlight';
import { ParagraphRow } from './paragraph-row';
import type { Player } from './player';
import { SearchBar } from './search-bar';
import type { SpeakerNames } from './speaker-names';
import { paragraphOfWord, type TranscriptModel } from './transcript-model';
import type { TranscriptState } from './transcript-state';

interface TranscriptViewProps {
  model: TranscriptModel;
  state: TranscriptState;
  document: Result;
  player: Player | null;
  names: SpeakerNames;
  // Changes when another recording is shown, not while a live transcript grows.
  version: string;
}

const LINE_HEIGHT = 27;
const CHARACTER_WIDTH = 8;

export function TranscriptView({ model, state, document, player, names, version }: TranscriptViewProps) {
  const list = useRef<VirtualListHandle | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const marks = {
    entities: document.entities?.entities ?? [],
    marks: state.marks.value,
    matches: state.matches.value,
    currentMatch: state.currentMatch.value,
  };
  useSignalEffect(() => {
    const match = state.matches.value[state.currentMatch.value];
    if (match) list.current?.scrollTo(paragraphOfWord(model, match.firstWord));
  });
  usePlaybackHighlight(frame, model, state, player, list);
  const jump = (event: MouseEvent) => {
    const word = (event.target as Element).closest('[data-word]')?.getAttribute('data-word');
    if (word && player && !window.getSelection()?.toString()) player.seek(model.starts[Number(word)] ?? NaN);
  };
  return (
    <div class="transcript" ref={frame}>
      <SearchBar state={state} hasPlayer={player !== null} />
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- each paragraph has a button that does the same with the keyboard */}
      <div class={player ? 'reading playable' : 'reading'} onClick={jump}>
        <VirtualList
          label="Transcript"
          count={model.paragraphs.length}
          version={version}
          handle={list}
          covered={coveredHeight}
          estimate={(index, width) => {
            const characters = model.paragraphs[index]?.characters ?? 0;
            const perLine = Math.max(20, Math.min(width, 720) / CHARACTER_WIDTH);
            return Math.ceil(characters / perLine) * LINE_HEIGHT + 46;
          }}
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
      </div>
    </div>
  );
}

// The bar and the player cover the top of the window.
function coveredHeight(): number {
  return window.document.querySelector('.player')?.getBoundingClientRect().bottom ?? 60;
}

function usePlaybackHighlight(
  frame: { current: HTMLDivElement | null },
  model: TranscriptModel,
  state: TranscriptState,
  player: Player | null,
  list: { current: VirtualListHandle | null },
): void {
  useEffect(() => {
    if (!player || !frame.current) return undefined;
    const highlight = new PlaybackHighlight(frame.current, model, player, (paragraph) => {
      if (state.followPlayback.peek() && !list.current?.isVisible(paragraph)) list.current?.scrollTo(paragraph);
    });
    const stopFollowing = () => {
      if (player.playing.peek()) state.followPlayback.value = false;
    };
    window.addEventListener('wheel', stopFollowing, { passive: true });
    window.addEventListener('touchmove', stopFollowing, { passive: true });
    return () => {
      highlight.close();
      window.removeEventListener('wheel', stopFollowing);
      window.removeEventListener('touchmove', stopFollowing);
    };
  }, [player, model]);
}
