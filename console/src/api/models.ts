// Models that are installed, with whether the plan of a project allows them.
import { requestJson } from './client';
import { consolePath } from './paths';
import type { List, Model } from './types';

export const listModels = (project: string, signal?: AbortSignal) =>
  requestJson<List<Model>>(consolePath(project, '/models'), { signal });

export function modelsFor(models: Model[], capability: string): Model[] {
  return models.filter((model) => model.capabilities.some((entry) => entry.capability === capability));
}

// The models that the plan allows.
export const usable = (models: Model[]): Model[] => models.filter((model) => model.in_plan);

// The model that a form starts with, of those that the plan allows: the one that chooses by language, else the one that
// can do the least else, because it was made for this, and is smaller than a language model.
export function firstChoice(models: Model[]): Model | undefined {
  const special = usable(models).sort((one, other) => abilities(one) - abilities(other));
  return special.find(({ id }) => id === 'auto') ?? special[0];
}

const abilities = (model: Model): number => new Set(model.capabilities.map((entry) => entry.capability)).size;
