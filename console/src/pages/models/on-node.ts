// The list of models describes the node that answered. This is how one of them looks on a certain node of a cluster.
import type { Node } from '../system/records';
import type { ModelRecord } from './records';

export function onNode(model: ModelRecord, node: Node): ModelRecord {
  const hasFiles = model.state === 'installed' || model.state === 'not installed';
  const isInstalled = node.installed_models.includes(model.id);
  return {
    ...model,
    state: hasFiles ? (isInstalled ? 'installed' : 'not installed') : model.state,
    loaded: node.loaded_models.includes(model.id),
    // It was measured on the node that answered, which may be another one.
    speed: null,
  };
}
