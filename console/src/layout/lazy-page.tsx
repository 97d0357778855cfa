// Loads a page's code when it is opened for the first time.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { connectionError, type ApiError } from '../api/error';
import { ErrorBox } from '../components/error-box';
import { Loading } from '../components/loading';

type PageModule = { Page: ComponentType };

const loaded = new Map<() => Promise<PageModule>, ComponentType>();

export function LazyPage({ load }: { load: () => Promise<PageModule> }) {
  const page = useSignal<{ Page: ComponentType } | null>(null);
  const error = useSignal<ApiError | null>(null);
  const start = () => {
    error.value = null;
    load()
      .then((module) => {
        loaded.set(load, module.Page);
        page.value = { Page: module.Page };
      })
      .catch(() => (error.value = connectionError()));
  };
  useEffect(start, [load]);
  const Page = page.value?.Page ?? loaded.get(load);
  if (Page) return <Page />;
  if (error.value) return <ErrorBox error={error.value} title="The page could not be loaded." onRetry={start} />;
  return <Loading />;
}
