// Shows a loaded resource, or that it loads, or why it failed.
import type { ComponentChildren } from 'preact';
import type { Resource } from '../use-resource';
import { ErrorBox } from './error-box';
import { Loading } from './loading';

interface ResourceViewProps<T> {
  resource: Resource<T>;
  children: (data: T) => ComponentChildren;
}

export function ResourceView<T>({ resource, children }: ResourceViewProps<T>) {
  const { data, error, reload } = resource;
  return (
    <>
      {error.value && <ErrorBox error={error.value} onRetry={() => void reload()} />}
      {data.value !== null ? children(data.value) : !error.value && <Loading />}
    </>
  );
}
