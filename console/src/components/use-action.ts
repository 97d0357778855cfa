// Runs something that a button starts: whether it is under way, and why it failed.
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { asApiError, type ApiError } from '../api/error';

export interface Action {
  busy: ReadonlySignal<boolean>;
  error: ReadonlySignal<ApiError | null>;
  run: (work: () => Promise<unknown>) => Promise<void>;
}

export function useAction(): Action {
  const busy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const run = async (work: () => Promise<unknown>) => {
    if (busy.value) return;
    busy.value = true;
    error.value = null;
    try {
      await work();
    } catch (failure) {
      error.value = asApiError(failure);
    }
    busy.value = false;
  };
  return { busy, error, run };
}
