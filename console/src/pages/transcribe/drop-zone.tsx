// Takes files that are dropped on the page or chosen in a dialog.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button';
import { Icon } from '../../components/icon';
import { formatBytes } from '../../format/numbers';

interface DropZoneProps {
  maxBytes: number;
  onFiles: (files: File[]) => void;
}

export function DropZone({ maxBytes, onFiles }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const over = useDroppedFiles(onFiles);
  return (
    <div class={over.value ? 'drop-zone over' : 'drop-zone'}>
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

// The whole window accepts files, so that a file that misses the zone does not replace the page.
function useDroppedFiles(onFiles: (files: File[]) => void) {
  const over = useSignal(false);
  const handler = useRef(onFiles);
  handler.current = onFiles;
  useEffect(() => {
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      over.value = true;
    };
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) over.value = false;
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      over.value = false;
      handler.current([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragover', drag);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', drag);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return over;
}
