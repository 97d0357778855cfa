// Tasks on models that run for a few seconds and report their progress.
import { clearInterval, setInterval } from 'node:timers';
import { models, newId, now, NODE, tasks } from './operator-data.mjs';

const TICK_MS = 300;
const TICKS = 40;

export function startTask(model, action, node) {
  const total_bytes = action === 'remove' ? 0 : model.bytes;
  const task = { object: 'model_task', id: newId('mtk'), model: model.id, action, node: node ?? NODE, status: 'running', progress: { file: 'model.bin', done_bytes: 0, total_bytes }, error: null, created_at: now(), ended_at: null };
  tasks.unshift(task);
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += action === 'pull' ? 1 : 10;
    if (task.status === 'running') task.progress = { ...task.progress, done_bytes: Math.round((total_bytes * Math.min(ticks, TICKS)) / TICKS) };
    if (task.status !== 'running' || ticks >= TICKS) {
      clearInterval(timer);
      end(task, task.status === 'running' ? 'completed' : task.status);
    }
  }, TICK_MS);
  return task;
}

function end(task, status) {
  Object.assign(task, { status, ended_at: now() });
  const model = models.find((entry) => entry.id === task.model);
  if (status !== 'completed' || !model) return;
  if (task.action === 'pull') model.state = 'installed';
  if (task.action === 'remove') Object.assign(model, { state: 'not installed', loaded: false });
}

export function cancelTask(task) {
  if (task.status === 'running') Object.assign(task, { status: 'cancelled', ended_at: now() });
  return task;
}

export function streamTask(response, task) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' });
  const send = () => {
    response.write(`event: model_task\ndata: ${JSON.stringify(task)}\n\n`);
    if (task.status === 'running') return;
    clearInterval(timer);
    response.end();
  };
  const timer = setInterval(send, TICK_MS);
  response.on('close', () => clearInterval(timer));
  send();
}
