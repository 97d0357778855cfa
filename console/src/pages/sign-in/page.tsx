// Signs in with a key, or with a one-time link whose token is in the fragment of the address.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asApiError, type ApiError } from '../../api/error';
import { Brand } from '../../components/brand';
import { Button } from '../../components/button';
import { ErrorBox } from '../../components/error-box';
import { Loading } from '../../components/loading';
import { Notice } from '../../components/notice';
import { TextField } from '../../components/text-field';
import { query } from '../../router';
import { sessionEnded, signIn } from '../../session';
import { takeLinkToken } from './link-token';

export function SignInPage() {
  const key = useSignal('');
  const busy = useSignal<'no' | 'key' | 'link'>('no');
  const error = useSignal<ApiError | null>(null);
  const submit = async (credential: { key: string } | { link: string }) => {
    busy.value = 'key' in credential ? 'key' : 'link';
    error.value = null;
    try {
      await signIn(credential);
    } catch (failure) {
      error.value = asApiError(failure);
      busy.value = 'no';
    }
  };
  useEffect(() => {
    document.title = 'Sign in · Auris';
    const openLink = () => {
      const token = takeLinkToken();
      if (token) void submit({ link: token });
    };
    openLink();
    // A link that is pasted while this page is open changes only the fragment, and the browser loads nothing.
    window.addEventListener('hashchange', openLink);
    return () => window.removeEventListener('hashchange', openLink);
  }, []);
  if (busy.value === 'link') return <Loading label="Signing in with the link…" />;
  return (
    <main class="sign-in">
      <Brand href="/" />
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit({ key: key.value.trim() });
        }}
      >
        <h1>Sign in</h1>
        {reason() && !error.value && <Notice>{reason()}</Notice>}
        {error.value && <ErrorBox error={error.value} title="The sign-in failed." />}
        <TextField
          label="Key"
          value={key.value}
          onInput={(value) => (key.value = value)}
          hint="An operator key (ok-…) opens everything, an API key (sk-…) opens its project. The browser keeps only a session cookie."
          input={{ type: 'password', autocomplete: 'current-password', spellcheck: false, required: true }}
        />
        <Button
          type="submit"
          kind="primary"
          size="large"
          busy={busy.value === 'key'}
          disabled={key.value.trim() === ''}
        >
          Sign in
        </Button>
      </form>
      <p class="soft small">
        No key yet? On the server, <code>auris console</code> prints a link that signs you in once. The{' '}
        <a href="/docs">API reference</a> needs no sign-in.
      </p>
    </main>
  );
}

// Why this page is open, if somebody wanted another one.
function reason(): string | null {
  if (sessionEnded.value) return 'Your session has ended. Sign in to go on.';
  return query.value.has('next') ? 'Sign in to open this page.' : null;
}
