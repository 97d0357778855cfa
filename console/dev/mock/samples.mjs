// Sample models, endpoints and accounts.

const rate = (capability, native_unit, price_per_unit_usd) => ({ capability, native_unit, price_per_unit_usd });
const text = ['chapters', 'entities', 'formatting', 'key_phrases', 'sentiment', 'summary', 'topics', 'task'];
const tokens = (price) => text.flatMap((capability) => [rate(capability, 'input_token', price), rate(capability, 'output_token', price)]);

const about = { languages: [], license: 'MIT', bytes: 66420311, uses: [], in_plan: true };

export const models = [
  {
    id: 'auto',
    object: 'model',
    ...about,
    display_name: 'Choose by language',
    required_plan: null,
    capabilities: [rate('transcription', 'audio_second', '0.0001')],
  },
  {
    id: 'base-multilingual',
    object: 'model',
    ...about,
    display_name: 'Base, 99 languages',
    required_plan: null,
    languages: ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'],
    capabilities: [rate('transcription', 'audio_second', '0.0001')],
  },
  {
    id: 'turns-small',
    object: 'model',
    ...about,
    display_name: 'Speaker turns',
    required_plan: null,
    capabilities: [rate('diarization', 'audio_second', '0.00005')],
  },
  { id: 'writer-1.5b', object: 'model', ...about, display_name: 'Writer 1.5B', required_plan: null, capabilities: tokens('0.0000002') },
  { id: 'writer-large', object: 'model', ...about, display_name: 'Writer Large', required_plan: 'business', in_plan: false, capabilities: tokens('0.000002') },
];

export const webhooks = [
  {
    id: 'whk_demo0000000000000001',
    url: 'https://example.com/hooks/auris',
    status: 'enabled',
    created_at: 1794000000,
    failing_since: null,
    disabled_because: null,
    previous_secret_until: null,
  },
];

const usage = { audio_seconds: 48210, input_tokens: 910000, output_tokens: 42000, characters: 1200000, cost_usd: '9.42' };

export const account = {
  object: 'account',
  project: 'default',
  plan: 'standard',
  balance_usd: '40.58',
  held_usd: '0.2',
  usage: { object: 'usage', groups: [{ day: '2026-11-01', model: 'base-multilingual', requests: 40, usage }], total: { requests: 421, usage } },
};
