// Models that a project can use now.
import { requestJson } from './client';
import { consolePath } from './paths';
import type { List, Model } from './types';

export const listModels = (project: string, signal?: AbortSignal) =>
  requestJson<List<Model>>(consolePath(project, '/models'), { signal });

export function modelsFor(models: Model[], capability: string): Model[] {
  return models.filter((model) => model.capabilities.some((entry) => entry.capability === capability));
}
