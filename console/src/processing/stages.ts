// The stages of an analysis and their options, as data for the form.

export type StageName =
  'diarization' | 'formatting' | 'summary' | 'chapters' | 'entities' | 'key_phrases' | 'sentiment' | 'topics';

export interface StageOption {
  name: string;
  label: string;
  kind: 'number' | 'choice' | 'list';
  hint?: string;
  choices?: { value: string; label: string }[];
  // The server's own default is not sent.
  initial: string;
}

export interface Stage {
  name: StageName;
  title: string;
  description: string;
  options: StageOption[];
}

export const stages: Stage[] = [
  {
    name: 'diarization',
    title: 'Speakers',
    description: 'Who spoke when',
    options: [
      { name: 'min_speakers', label: 'At least', kind: 'number', hint: '1 to 100 speakers', initial: '' },
      { name: 'max_speakers', label: 'At most', kind: 'number', hint: '1 to 100 speakers', initial: '' },
    ],
  },
  {
    name: 'summary',
    title: 'Summary',
    description: 'What it was about',
    options: [
      {
        name: 'type',
        label: 'Form',
        kind: 'choice',
        initial: 'brief',
        choices: [
          { value: 'brief', label: 'Brief' },
          { value: 'bullets', label: 'Bullet points' },
          { value: 'detailed', label: 'Detailed' },
        ],
      },
    ],
  },
  { name: 'chapters', title: 'Chapters', description: 'Sections with titles', options: [] },
  {
    name: 'entities',
    title: 'Entities',
    description: 'People, places, dates',
    options: [
      {
        name: 'types',
        label: 'Only these types',
        kind: 'list',
        hint: 'Separate with commas. Empty: all types',
        initial: '',
      },
    ],
  },
  {
    name: 'sentiment',
    title: 'Sentiment',
    description: 'The mood over time',
    options: [
      {
        name: 'granularity',
        label: 'Rate',
        kind: 'choice',
        initial: 'utterance',
        choices: [
          { value: 'utterance', label: 'Each utterance' },
          { value: 'document', label: 'The whole recording' },
        ],
      },
    ],
  },
  { name: 'key_phrases', title: 'Key phrases', description: 'Important terms', options: [] },
  { name: 'topics', title: 'Topics', description: 'Subjects with scores', options: [] },
  { name: 'formatting', title: 'Paragraphs', description: 'Text for reading', options: [] },
];
