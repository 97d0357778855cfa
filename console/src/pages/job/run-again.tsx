// Starts over after a failure: an analysis in a dialog with the same steps, a transcription on the Transcribe page with the
// same model.
import type { Job, JobStep } from '../../api/types';
import { Button } from '../../components/button';
import { Link } from '../../components/link';

interface RunAgainProps {
  job: Job;
  steps: JobStep[];
  onAnalyze: () => void;
}

export function RunAgain({ job, steps, onAnalyze }: RunAgainProps) {
  if (job.operation === 'analysis') {
    return (
      <Button writes kind="primary" icon="refresh" onClick={onAnalyze}>
        Run again
      </Button>
    );
  }
  const step = steps.find((entry) => entry.key === 'transcription');
  return (
    <Link to="/" query={{ model: step?.requested_model ?? null }} class="button primary">
      Upload again
    </Link>
  );
}
