// Shows where files can be dropped, which the whole window accepts, and opens the dialog that chooses files.
import { useRef } from 'preact/hooks';
import { Button } from '../../components/button';
import { Icon } from '../../components/icon';
import { formatBytes } from '../../format/numbers';
import { isDragging } from './dropped-files';

interface DropZoneProps {
  maxBytes: number;
  onFiles: (files: File[]) => void;
}

export function DropZone({ maxBytes, onFiles }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class={isDragging.value ? 'drop-zone over' : 'drop-zone'}>
      <Icon name="upload" />
      <p>
        <strong>Drop audio or video files here</strong>
      </p>
      <p class="soft small">WAV, MP3, FLAC, M4A, Ogg, WebM and more, up to {formatBytes(maxBytes)} each</p>
      <Button kind="primary" onClick={() => input.current?.click()}>
        Choose files
      </Button>
      <input
        ref={input}
        type="file"
        class="off-screen"
        multiple
        accept="audio/*,video/*,.mka,.opus,.flac,.m4a"
        aria-label="Audio files"
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
