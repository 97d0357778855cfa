// Sample usage that repeats every week, with less on weekends.

const DAY_MS = 86400000;
const lines = [
  { model: 'whisper-base', project: 'support-calls', seconds: 5200, cost: 0.00002 },
  { model: 'moonshine-base-en', project: 'default', seconds: 2600, cost: 0.000015 },
  { model: 'pyannote-campplus', project: 'support-calls', seconds: 3100, cost: 0.00001 },
  { model: 'house-model', project: 'research', tokens: 42000, cost: 0.0000015 },
];

function groupOf(day, line, index) {
  const date = new Date(day);
  const weight = [0.2, 1, 1.2, 1.1, 0.9, 0.7, 0.1][date.getUTCDay()] * (1 + 0.4 * Math.sin(date.getUTCDate() * (index + 2)));
  const amount = Math.round((line.seconds ?? line.tokens) * weight);
  const isText = line.tokens !== undefined;
  const usage = { audio_seconds: isText ? 0 : amount, input_tokens: isText ? amount : 0, output_tokens: isText ? Math.round(amount / 9) : 0, characters: isText ? amount * 4 : 0, cost_usd: String(Number((amount * line.cost).toFixed(6))) };
  return { day: date.toISOString().slice(0, 10), model: line.model, project: line.project, requests: Math.max(1, Math.round(amount / 300)), usage };
}

function add(total, group) {
  total.requests += group.requests;
  for (const name of ['audio_seconds', 'input_tokens', 'output_tokens', 'characters']) total.usage[name] += group.usage[name];
  total.usage.cost_usd = String(Number((Number(total.usage.cost_usd) + Number(group.usage.cost_usd)).toFixed(6)));
  return total;
}

const nothing = () => ({ requests: 0, usage: { audio_seconds: 0, input_tokens: 0, output_tokens: 0, characters: 0, cost_usd: '0' } });

export function usageReport(query, project) {
  const last = Date.parse(query.get('last_day') ?? new Date().toISOString().slice(0, 10));
  const first = query.get('first_day') ? Date.parse(query.get('first_day')) : last - 29 * DAY_MS;
  const by = (query.get('by') ?? 'day,model').split(',');
  const groups = new Map();
  const total = nothing();
  for (let day = Math.max(first, Date.now() - 60 * DAY_MS - (Date.now() % DAY_MS)); day <= last; day += DAY_MS) {
    lines.forEach((line, index) => {
      if (project && line.project !== project) return;
      const group = groupOf(day, line, index);
      const names = Object.fromEntries(by.map((name) => [name, group[name]]));
      const id = Object.values(names).join(' ');
      groups.set(id, add(groups.get(id) ?? { ...names, ...nothing() }, group));
      add(total, group);
    });
  }
  return { object: 'usage', groups: [...groups.values()], total };
}

export function usageCsv(report) {
  const rows = report.groups.map((group) => [group.day, group.model, group.requests, ...Object.values(group.usage)].join(','));
  return ['day,model,requests,audio_seconds,input_tokens,output_tokens,characters,cost_usd', ...rows, ''].join('\r\n');
}
