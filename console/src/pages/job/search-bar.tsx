// Search inside the transcript: Enter and Shift+Enter step through the matches.
import { Checkbox } from '../../components/checkbox';
import { Icon } from '../../components/icon';
import { IconButton } from '../../components/icon-button';
import { formatInteger } from '../../format/numbers';
import type { TranscriptState } from './transcript-state';

interface SearchBarProps {
  state: TranscriptState;
  hasPlayer: boolean;
}

export function SearchBar({ state, hasPlayer }: SearchBarProps) {
  const count = state.matches.value.length;
  const searched = state.query.value.trim().length > 1;
  return (
    <div class="search-bar" role="search">
      <label class="search-input">
        <span class="off-screen">Search in the transcript</span>
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search in the transcript"
          value={state.query.value}
          onInput={(event) => state.setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') state.moveMatch(event.shiftKey ? -1 : 1);
          }}
        />
      </label>
      {searched && (
        <>
          <span class="small soft numeric" role="status">
            {count === 0 ? 'No match' : `${formatInteger(state.currentMatch.value + 1)} of ${formatInteger(count)}`}
          </span>
          <IconButton icon="up" label="Previous match" disabled={count === 0} onClick={() => state.moveMatch(-1)} />
          <IconButton icon="down" label="Next match" disabled={count === 0} onClick={() => state.moveMatch(1)} />
        </>
      )}
      <span class="space" />
      {hasPlayer && (
        <Checkbox checked={state.followPlayback.value} onChange={(on) => (state.followPlayback.value = on)}>
          Follow playback
        </Checkbox>
      )}
    </div>
  );
}
