// Recording from the microphone, or why the browser does not allow it here.
import { useEffect, useMemo } from 'preact/hooks';
import { Button } from '../../components/button';
import { Notice } from '../../components/notice';
import { formatPosition } from '../../format/time';
import { LevelMeter } from './level-meter';
import { Recorder } from './recorder';

interface MicrophoneProps {
  maxBytes: number;
  onFile: (file: File) => void;
}

export function Microphone({ maxBytes, onFile }: MicrophoneProps) {
  if (!window.isSecureContext) {
    return (
      <Notice kind="warn">
        <p>
          <strong>Recording is not possible at this address.</strong> Browsers give the microphone only to pages over
          https or on localhost, and this page came over plain http.
        </p>
        <p>
          Ask an operator to serve Auris over https, or open it as <code>http://localhost</code> through a tunnel.
          Uploading files works here.
        </p>
      </Notice>
    );
  }
  return <MicrophoneControls maxBytes={maxBytes} onFile={onFile} />;
}

function MicrophoneControls({ maxBytes, onFile }: MicrophoneProps) {
  const recorder = useMemo(() => new Recorder(maxBytes, onFile), []);
  useEffect(() => () => recorder.close(), []);
  const state = recorder.state.value;
  if (state === 'idle' || state === 'asking') {
    return (
      <div class="microphone">
        <Button icon="record" busy={state === 'asking'} onClick={() => void recorder.start()}>
          {state === 'asking' ? 'Waiting for permission' : 'Record from the microphone'}
        </Button>
        {recorder.error.value && <Notice kind="bad">{recorder.error.value}</Notice>}
      </div>
    );
  }
  return (
    <div class="microphone running" role="group" aria-label="Recording">
      <span class={state === 'recording' ? 'record-dot live' : 'record-dot'} aria-hidden="true" />
      <span class="numeric" role="timer" aria-label="Recorded time">
        {formatPosition(recorder.seconds.value)}
      </span>
      <LevelMeter level={recorder.level} />
      {state === 'recording' ? (
        <Button size="small" icon="pause" onClick={() => recorder.pause()}>
          Pause
        </Button>
      ) : (
        <Button size="small" icon="record" onClick={() => recorder.resume()}>
          Resume
        </Button>
      )}
      <Button size="small" kind="primary" icon="stop" onClick={() => recorder.stop()}>
        Stop
      </Button>
      <Button size="small" kind="quiet" onClick={() => recorder.discard()}>
        Discard
      </Button>
    </div>
  );
}
