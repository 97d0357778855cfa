// The interfaces that describe answers and requests agree with the OpenAPI documents.
import yaml from 'js-yaml';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { SchemaDifferences } from './schema-differences.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const source = join(root, 'console/src');

// Interfaces whose schema has another name.
const renamed = {
  ListedJob: 'OperatorJob',
  Model: 'ProjectModel',
  QueueLine: 'ProjectQueue',
  NewProject: 'ProjectRequest',
  NewKey: 'KeyRequest',
  NewOperatorKey: 'OperatorKeyRequest',
};
const requests = ['NewProject', 'NewKey', 'NewOperatorKey'];
// Interfaces without a schema: parts of fields, which are compared with their whole, and parameters of queries.
const withoutSchema = ['List', 'Page', 'Chapter', 'Entity', 'Period', 'DeliveryFilter'];

const schemasOf = (document) => yaml.load(readFileSync(join(root, 'openapi', document), 'utf8')).components.schemas;

// Every exported interface of the files that describe records, with its type.
function interfacesOf() {
  const files = readdirSync(source, { recursive: true })
    .filter((path) => /^api\/(types|error)\.ts$|\/records\.ts$/.test(path))
    .map((path) => join(source, path));
  const { config } = ts.readConfigFile(join(root, 'console/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, join(root, 'console'));
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const declared = files.flatMap((file) => program.getSourceFile(file).statements.filter(ts.isInterfaceDeclaration));
  const interfaces = declared.map((node) => ({ name: node.name.text, type: checker.getTypeAtLocation(node) }));
  return { checker, interfaces };
}

test('the types of the API agree with its documents', () => {
  const { checker, interfaces } = interfacesOf();
  const documents = ['console.yaml', 'openapi.yaml'].map(schemasOf);
  const found = new Set();
  assert.ok(interfaces.length > 50, `only ${interfaces.length} interfaces were found`);
  for (const { name, type } of interfaces.filter((entry) => !withoutSchema.includes(entry.name))) {
    const schemaName = renamed[name] ?? name;
    const described = documents.filter((schemas) => schemas[schemaName]);
    assert.notEqual(described.length, 0, `${name} has no schema; name it in this test`);
    for (const schemas of described) {
      const differences = new SchemaDifferences(checker, schemas);
      differences.compare(name, type, schemas[schemaName], requests.includes(name));
      for (const difference of differences.found) found.add(difference);
    }
  }
  assert.deepEqual([...found].sort(), []);
});
