// Models that a project can use now.
import { requestJson } from './client';
import { consolePath } from './paths';
import type { List, Model } from './types';

export const listModels = (project: string, signal?: AbortSignal) =>
  requestJson<List<Model>>(consolePath(project, '/models'), { signal });

export function modelsFor(models: Model[], capability: string): Model[] {
  return models.filter((model) => model.capabilities.some((entry) => entry.capability === capability));
}

// The model that a form starts with: the one that chooses by language, else one that every plan may use.
export function firstChoice(models: Model[]): Model | undefined {
  return models.find(({ id }) => id === 'auto') ?? models.find((model) => model.required_plan === null) ?? models[0];
}
