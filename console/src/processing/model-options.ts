// Models as choices of a list.
import type { Option } from '../components/select-field';
import type { Model } from '../api/types';

export function modelOptions(models: Model[]): Option[] {
  return models.map((model) => ({
    value: model.id,
    label: model.required_plan ? `${model.display_name} (plan ${model.required_plan})` : model.display_name,
  }));
}
