// Checks the text of a JSON Schema: first that it is JSON, then that its keywords have values of the right kind.
import { checkSchema } from './schema-check';

export interface SchemaProblem {
  // Where: a line of the text, or a path in the schema.
  place: string;
  message: string;
}

export function checkSchemaText(text: string): SchemaProblem[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const line = errorLine(text, error instanceof Error ? error.message : '');
    return [
      {
        place: line ? `Line ${line}` : 'Text',
        message: line ? `This is not JSON; look at line ${line}.` : 'This is not JSON.',
      },
    ];
  }
  return checkSchema(value);
}

// Browsers report a line, or only a position in the text.
function errorLine(text: string, message: string): number | null {
  const line = /line (\d+)/.exec(message);
  if (line) return Number(line[1]);
  const position = /position (\d+)/.exec(message);
  if (position) return text.slice(0, Number(position[1])).split('\n').length;
  return /end of/i.test(message) ? text.split('\n').length : null;
}
