// Models: operators manage what is installed, everybody else sees what can be used.
import '../../shared';
import { isOperator } from '../../session';
import { InstalledModels } from './installed-models';
import { UsableModels } from './usable-models';

export function Page() {
  return isOperator.value ? <InstalledModels /> : <UsableModels />;
}
