// Models: operators manage what is installed, everybody else sees what can be used.
import { isOperator } from '../../session';
import { InstalledModels } from './installed-models';
import { UsableModels } from './usable-models';

export function ModelsPage() {
  return isOperator.value ? <InstalledModels /> : <UsableModels />;
}
