// The call as shell commands.
import { analysisBody, formFields, type Call } from './call';

export function curlSnippet(call: Call): string {
  const fields = [
    `file=@"${call.fileName.replace(/["\\]/g, '\\$&')}"`,
    ...formFields(call).map(([name, value]) => `${name}=${value}`),
  ];
  const parts = fields.map((field) => `  -F ${quote(field)}`).join(' \\\n');
  const upload = `curl ${call.origin}/v1/audio/transcriptions \\\n  -H "Authorization: Bearer $AURIS_API_KEY" \\\n${parts}`;
  if (!call.processing)
    return `${upload}\n\n# Follow the job from the answer:\ncurl -N ${call.origin}/v1/jobs/$JOB_ID/events \\\n  -H "Authorization: Bearer $AURIS_API_KEY"`;
  return [
    upload,
    '',
    '# When that job is completed, with its id in JOB_ID:',
    `curl ${call.origin}/v1/audio/analyses \\`,
    '  -H "Authorization: Bearer $AURIS_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    '  -H "Idempotency-Key: analysis-$JOB_ID" \\',
    `  -d ${quote(analysisBody(call, 'JOB_ID')).replace('JOB_ID', `'"$JOB_ID"'`)}`,
  ].join('\n');
}

const quote = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;
