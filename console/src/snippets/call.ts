// A transcription with an optional analysis, as the API takes it. The snippets are made from it.

export interface Call {
  origin: string;
  fileName: string;
  model: string;
  language: string;
  prompt: string;
  // The `processing` object of the analysis that follows, if there is one.
  processing: Record<string, unknown> | null;
}

export const analysisBody = (call: Call, jobId: string): string =>
  JSON.stringify({ job_id: jobId, processing: call.processing }, null, 2);

export function formFields(call: Call): [string, string][] {
  const fields: [string, string][] = [
    ['model', call.model],
    ['async', 'true'],
  ];
  if (call.language) fields.push(['language', call.language]);
  if (call.prompt) fields.push(['prompt', call.prompt]);
  return fields;
}
