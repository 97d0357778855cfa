// What a receiver did with a test message.
import { Notice } from '../../components/notice';
import { formatInteger } from '../../format/numbers';
import type { TestResult } from './records';

export function TestOutcome({ result }: { result: TestResult }) {
  return (
    <Notice kind={result.success ? 'good' : 'bad'}>
      <strong>{result.success ? 'The receiver accepted the test message.' : 'The receiver did not accept it.'}</strong>
      <p>
        {result.status !== null && <>Status {result.status}</>}
        {result.error !== null && <>{result.error}</>}, after {formatInteger(result.milliseconds)} ms.
      </p>
      {!result.success && <p>{adviceFor(result)}</p>}
      {result.answer && (
        <details>
          <summary>Start of the answer</summary>
          <pre class="plain-text">{result.answer}</pre>
        </details>
      )}
      <details>
        <summary>Message that was sent</summary>
        <pre class="plain-text">{result.body}</pre>
      </details>
    </Notice>
  );
}

function adviceFor(result: TestResult): string {
  const { status } = result;
  if (status === null) return 'Check that the receiver is running and that this server can reach it.';
  if (status === 400 || status === 401 || status === 403)
    return 'Check that the receiver uses the secret of this endpoint.';
  if (status === 404 || status === 405) return 'Check the path of the URL, and that the receiver accepts POST.';
  if (status === 410) return 'With 410 the receiver asks to be disabled.';
  if (status >= 300 && status < 400) return 'Redirects are not followed. Register the final URL.';
  return 'Look into the log of the receiver.';
}
