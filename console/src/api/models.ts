// Models that a project can use now.
import { requestJson } from './client';
import { consolePath } from './paths';
import type { List, Model } from './types';

export const listModels = (project: string, signal?: AbortSignal) =>
  requestJson<List<Model>>(consolePath(project, '/models'), { signal });

export function modelsFor(models: Model[], capability: string): Model[] {
  return models.filter((model) => model.capabilities.some((entry) => entry.capability === capability));
}

// The model that a form starts with: the one that chooses by language, else one that every plan may use. Of several, the
// one that can do the least else: it was made for this, and is smaller than a language model.
export function firstChoice(models: Model[]): Model | undefined {
  const special = [...models].sort((one, other) => abilities(one) - abilities(other));
  return models.find(({ id }) => id === 'auto') ?? special.find((model) => model.required_plan === null) ?? special[0];
}

const abilities = (model: Model): number => new Set(model.capabilities.map((entry) => entry.capability)).size;
