// Models as choices of a list. Those of a higher plan can be seen, but not chosen.
import type { Option } from '../components/select-field';
import type { Model } from '../api/types';

export function modelOptions(models: Model[]): Option[] {
  return models.map((model) => ({
    value: model.id,
    label: model.in_plan ? model.display_name : `${model.display_name} (needs plan ${model.required_plan})`,
    disabled: !model.in_plan,
  }));
}
