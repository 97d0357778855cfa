// The Models page links here with the model to try: `?model=` transcribes, `?stage=&model=` runs a stage or a task.
import { useEffect } from 'preact/hooks';
import { withModel } from '../../processing/form';
import { query, setQuery } from '../../router';
import { model, processingForm } from './settings';

// A stage can be switched on only when the models are known, because it is switched off if its model is not one of them.
export function useModelOfAddress(isReady: boolean): void {
  const wanted = query.value.get('model');
  const stage = query.value.get('stage');
  useEffect(() => {
    if (!wanted || !isReady) return;
    if (stage) processingForm.value = withModel(processingForm.value, stage, wanted);
    else model.value = wanted;
    setQuery({ model: null, stage: null });
  }, [wanted, stage, isReady]);
}
