// Models as choices of a list.
import type { Option } from '../components/select-field';
import type { Model } from '../api/types';

export function modelOptions(models: Model[], withDefault: boolean): Option[] {
  const options = models.map((model) => ({
    value: model.id,
    label: model.required_plan ? `${model.display_name} (plan ${model.required_plan})` : model.display_name,
  }));
  return withDefault ? [{ value: '', label: 'Default model' }, ...options] : options;
}
