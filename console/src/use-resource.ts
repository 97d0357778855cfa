// Loads something when a component appears or its key changes, and again on request. Old answers are dropped.
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { asApiError, isAbort, type ApiError } from './api/error';

export interface Resource<T> {
  data: ReadonlySignal<T | null>;
  error: ReadonlySignal<ApiError | null>;
  loading: ReadonlySignal<boolean>;
  reload: () => Promise<void>;
  replace: (data: T) => void;
}

export function useResource<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const data = useSignal<T | null>(null);
  const error = useSignal<ApiError | null>(null);
  const loading = useSignal(true);
  const current = useRef<AbortController | null>(null);
  const latestLoad = useRef(load);
  latestLoad.current = load;

  const reload = useCallback(async () => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    loading.value = true;
    try {
      const loaded = await latestLoad.current(controller.signal);
      if (controller.signal.aborted) return;
      data.value = loaded;
      error.value = null;
    } catch (failure) {
      if (isAbort(failure) || controller.signal.aborted) return;
      error.value = asApiError(failure);
    }
    loading.value = false;
  }, []);

  useEffect(() => {
    data.value = null;
    void reload();
    return () => current.current?.abort();
  }, [key]);

  return { data, error, loading, reload, replace: (value) => (data.value = value) };
}
