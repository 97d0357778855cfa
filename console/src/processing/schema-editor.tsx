// An editor for a JSON Schema that says what is wrong while somebody types.
import { Button } from '../components/button';
import { Checkbox } from '../components/checkbox';
import { Icon } from '../components/icon';
import { TextAreaField } from '../components/text-area-field';
import { exampleSchema } from './form';
import { checkSchemaText } from './schema-text';

interface SchemaEditorProps {
  schema: string;
  strict: boolean;
  onSchema: (schema: string) => void;
  onStrict: (strict: boolean) => void;
}

export function SchemaEditor({ schema, strict, onSchema, onStrict }: SchemaEditorProps) {
  const problems = checkSchemaText(schema);
  const isJson = problems.every((problem) => problem.place.startsWith('#'));
  return (
    <div class="schema-editor">
      <TextAreaField label="JSON Schema" value={schema} onInput={onSchema} rows={11} code />
      <div class="schema-state" role="status">
        {problems.length === 0 ? (
          <p class="good-text">
            <Icon name="check" /> The schema is valid.
          </p>
        ) : (
          <ul class="field-error">
            {problems.slice(0, 4).map((problem) => (
              <li key={problem.place}>{problem.message}</li>
            ))}
          </ul>
        )}
      </div>
      <div class="row">
        <Button size="small" disabled={!isJson} onClick={() => onSchema(JSON.stringify(JSON.parse(schema), null, 2))}>
          Format
        </Button>
        <Button size="small" onClick={() => onSchema(exampleSchema)}>
          Example
        </Button>
        <Checkbox checked={strict} onChange={onStrict}>
          Constrain the model to the schema
        </Checkbox>
      </div>
    </div>
  );
}
