// Checks that a value is a usable JSON Schema: known types, keywords with values of the right kind, local references.
import type { SchemaProblem } from './schema-text';

const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const valueRules: Record<string, [(value: unknown) => boolean, string]> = {
  required: [isTextList, 'a list of property names'],
  enum: [(value) => Array.isArray(value) && value.length > 0, 'a list with at least one value'],
  minLength: [isCount, 'a whole number from 0'],
  maxLength: [isCount, 'a whole number from 0'],
  minItems: [isCount, 'a whole number from 0'],
  maxItems: [isCount, 'a whole number from 0'],
  minProperties: [isCount, 'a whole number from 0'],
  maxProperties: [isCount, 'a whole number from 0'],
  minimum: [isNumber, 'a number'],
  maximum: [isNumber, 'a number'],
  exclusiveMinimum: [isNumber, 'a number'],
  exclusiveMaximum: [isNumber, 'a number'],
  multipleOf: [(value) => isNumber(value) && (value as number) > 0, 'a number above 0'],
  uniqueItems: [isFlag, 'true or false'],
  title: [isText, 'a text'],
  description: [isText, 'a text'],
  format: [isText, 'a text'],
  pattern: [isPattern, 'a regular expression'],
};

const schemaKeywords = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const schemaListKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

export function checkSchema(root: unknown): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  if (isObject(root)) visit(root, '#', root, problems);
  else problems.push({ place: '#', message: 'A schema is a JSON object.' });
  return problems;
}

function visit(schema: unknown, place: string, root: Record<string, unknown>, problems: SchemaProblem[]): void {
  const report = (keyword: string, message: string) => problems.push({ place: `${place}/${keyword}`, message });
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) {
    problems.push({ place, message: `${place} must be a schema: an object, true or false.` });
    return;
  }
  checkType(schema, report);
  for (const [keyword, [accepts, expected]] of Object.entries(valueRules)) {
    if (keyword in schema && !accepts(schema[keyword])) report(keyword, `${place}/${keyword} must be ${expected}.`);
  }
  if ('$ref' in schema && !resolves(schema.$ref, root)) {
    report('$ref', `${place}/$ref must point into this schema, for example #/$defs/item.`);
  }
  for (const keyword of schemaKeywords)
    if (keyword in schema) visit(schema[keyword], `${place}/${keyword}`, root, problems);
  for (const keyword of schemaListKeywords) visitList(schema[keyword], `${place}/${keyword}`, root, problems);
  for (const keyword of schemaMapKeywords) visitMap(schema[keyword], `${place}/${keyword}`, root, problems);
  checkRequired(schema, place, report);
}

function checkType(schema: Record<string, unknown>, report: (keyword: string, message: string) => void): void {
  if (!('type' in schema)) return;
  const named = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type];
  const wrong = named.find((name) => typeof name !== 'string' || !typeNames.includes(name));
  if (wrong !== undefined || named.length === 0) {
    report('type', `${JSON.stringify(wrong ?? schema.type)} is not a type; use ${typeNames.join(', ')}.`);
  }
}

function checkRequired(
  schema: Record<string, unknown>,
  place: string,
  report: (keyword: string, message: string) => void,
): void {
  if (schema.additionalProperties !== false || !isTextList(schema.required)) return;
  const known = isObject(schema.properties) ? schema.properties : {};
  const missing = (schema.required as string[]).find((name) => !(name in known));
  if (missing !== undefined) report('required', `${place} requires \`${missing}\`, which is not among its properties.`);
}

function visitList(value: unknown, place: string, root: Record<string, unknown>, problems: SchemaProblem[]): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length === 0) {
    problems.push({ place, message: `${place} must be a list with at least one schema.` });
    return;
  }
  value.forEach((entry, index) => visit(entry, `${place}/${index}`, root, problems));
}

function visitMap(value: unknown, place: string, root: Record<string, unknown>, problems: SchemaProblem[]): void {
  if (value === undefined) return;
  if (!isObject(value)) {
    problems.push({ place, message: `${place} must be an object of schemas.` });
    return;
  }
  for (const [name, entry] of Object.entries(value)) visit(entry, `${place}/${name}`, root, problems);
}

function resolves(reference: unknown, root: Record<string, unknown>): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
  let value: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    if (!isObject(value) && !Array.isArray(value)) return false;
    value = (value as Record<string, unknown>)[part.replace(/~1/g, '/').replace(/~0/g, '~')];
  }
  return isObject(value) || typeof value === 'boolean';
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}
