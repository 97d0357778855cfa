// Texts and lists that the API would refuse are reported before anything is uploaded.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { emptyForm, newTask, withModel } = await load('processing/form.ts');
const { promptProblem, validateForm } = await load('processing/validate.ts');

const withTask = (changes) => {
  const form = withModel(emptyForm(), 'task', 'writer');
  return { ...form, tasks: [{ ...form.tasks[0], instructions: 'List the promises.', ...changes }] };
};
const withTypes = (types) => {
  const form = withModel(emptyForm(), 'entities', 'finder');
  form.stages.entities.options.types = types;
  return form;
};
const problems = (form) => Object.keys(validateForm(form));

test('a prompt has at most 4,000 characters, and an emoji is one', () => {
  assert.equal(promptProblem('😀'.repeat(4000)), null);
  assert.match(promptProblem('a'.repeat(4001)), /^This has 4.?001 characters/);
});

test('instructions have at most 20,000 characters', () => {
  assert.deepEqual(problems(withTask({ instructions: 'a'.repeat(20_000) })), []);
  assert.deepEqual(problems(withTask({ instructions: 'a'.repeat(20_001) })), ['tasks[0].instructions']);
  assert.deepEqual(problems(withTask({ instructions: ' ' })), ['tasks[0].instructions']);
});

test('a task has at most 16 sources', () => {
  const sources = (count) => Array.from({ length: count }, (_, index) => `#/tasks/task_${index}`).join(', ');
  assert.deepEqual(problems(withTask({ sources: sources(16) })), []);
  assert.deepEqual(problems(withTask({ sources: sources(17) })), ['tasks[0].sources']);
  assert.deepEqual(problems(withTask({ sources: `#/${'a'.repeat(511)}` })), ['tasks[0].sources']);
});

test('there are at most 64 types of entities, each of at most 64 characters', () => {
  const types = (count) => Array.from({ length: count }, (_, index) => `type ${index}`).join(', ');
  assert.deepEqual(problems(withTypes(types(64))), []);
  assert.deepEqual(problems(withTypes(types(65))), ['entities.types']);
  assert.deepEqual(problems(withTypes('a'.repeat(64))), []);
  assert.deepEqual(problems(withTypes('a'.repeat(65))), ['entities.types']);
});

test('a model to try switches its stage on, or adds a task', () => {
  const form = withModel(emptyForm(), 'summary', 'writer');
  assert.deepEqual([form.stages.summary.enabled, form.stages.summary.model], [true, 'writer']);
  assert.equal(withModel(emptyForm(), 'task', 'writer').tasks[0].model, 'writer');
  assert.deepEqual(withModel(emptyForm(), 'unknown', 'writer'), emptyForm());
  assert.equal(newTask(form.tasks, 'writer').id, 'task_1');
});
