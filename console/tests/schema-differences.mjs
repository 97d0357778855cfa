// Compares types of src/ with schemas of the OpenAPI documents, down to the last field.
import ts from 'typescript';

export class SchemaDifferences {
  found = [];
  #checker;
  #schemas;

  // `schemas` are those of the document, by name.
  constructor(checker, schemas) {
    this.#checker = checker;
    this.#schemas = schemas;
  }

  // What the server sends has to agree exactly. What is sent to it may leave out what is optional or null.
  compare(name, type, schema, isRequest) {
    const expected = this.#resolve(schema);
    const parts = type.isUnion() ? type.types : [type];
    if (expected.isAny || parts.some((part) => part.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any))) return;
    const values = parts.filter((part) => !(part.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)));
    const isNullable = parts.some((part) => part.flags & ts.TypeFlags.Null);
    if (isRequest ? isNullable && !expected.isNullable : isNullable !== expected.isNullable) {
      this.#report(name, isNullable ? 'is never null' : 'may be null');
    }
    if (values.every((value) => value.isStringLiteral())) this.#literals(name, values, expected, isRequest);
    else if (this.#kind(values[0]) !== expected.kind) this.#report(name, `is of type ${expected.kind}`);
    else if (expected.kind === 'array') this.#items(name, values[0], expected, isRequest);
    else if (expected.kind === 'object') this.#fields(name, values[0], expected, isRequest);
  }

  #literals(name, values, { values: documented }, isRequest) {
    if (!documented) return this.#report(name, 'may have any value');
    const own = values.map(({ value }) => value);
    const unknown = own.filter((value) => !documented.includes(value));
    const missing = isRequest ? [] : documented.filter((value) => !own.includes(value));
    if (unknown.length > 0) this.#report(name, `is never ${unknown.join(', ')}`);
    if (missing.length > 0) this.#report(name, `may be ${missing.join(', ')}`);
  }

  #items(name, list, expected, isRequest) {
    for (const item of this.#checker.getTypeArguments(list)) this.compare(`${name}[]`, item, expected.items, isRequest);
  }

  #fields(name, object, { properties, required, others }, isRequest) {
    const index = this.#checker.getIndexTypeOfType(object, ts.IndexKind.String);
    if (index && others) this.compare(`${name}.*`, index, others, isRequest);
    if (!properties) return;
    for (const field of this.#checker.getPropertiesOfType(object)) {
      const path = `${name}.${field.name}`;
      const schema = properties[field.name];
      if (!schema) {
        this.#report(path, 'does not exist');
        continue;
      }
      const isOptional = Boolean(field.flags & ts.SymbolFlags.Optional);
      const isRequired = required.includes(field.name);
      if (isOptional && isRequired) this.#report(path, 'is required');
      if (!isOptional && !isRequired && !isRequest) this.#report(path, 'may be absent');
      this.compare(path, this.#checker.getTypeOfSymbol(field), schema, isRequest);
    }
  }

  #kind(type) {
    if (this.#checker.isArrayLikeType(type)) return 'array';
    if (type.flags & ts.TypeFlags.StringLike) return 'string';
    if (type.flags & ts.TypeFlags.NumberLike) return 'number';
    return type.flags & ts.TypeFlags.BooleanLike ? 'boolean' : 'object';
  }

  // One form for the ways in which a schema can be written. Of several alternatives, the first one is compared.
  #resolve(schema) {
    if (schema.$ref) return this.#resolve(this.#schemas[schema.$ref.split('/').at(-1)]);
    if (schema.anyOf) {
      const others = schema.anyOf.filter((entry) => entry.type !== 'null');
      return { ...this.#resolve(others[0]), isNullable: others.length < schema.anyOf.length };
    }
    const types = [schema.type ?? []].flat();
    const kind = types.find((type) => type !== 'null');
    return {
      isAny: kind === undefined,
      isNullable: types.includes('null'),
      kind: kind === 'integer' ? 'number' : kind,
      values: schema.const === undefined ? schema.enum?.filter((value) => value !== null) : [schema.const],
      items: schema.items,
      properties: schema.properties,
      required: schema.required ?? [],
      others: typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null,
    };
  }

  #report(name, text) {
    this.found.push(`${name} ${text}`);
  }
}
