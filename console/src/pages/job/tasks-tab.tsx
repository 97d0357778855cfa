// The answers of the tasks: JSON to fold and copy, or text. While a task runs, its text grows here.
import type { TaskOutput } from '../../api/types';
import { CopyButton } from '../../components/copy-button';
import { JsonTree } from '../../components/json-tree';

interface TasksTabProps {
  answers: Record<string, TaskOutput>;
  // The text so far of tasks that have not finished, by step key.
  running: Record<string, string>;
}

export function TasksTab({ answers, running }: TasksTabProps) {
  const unfinished = Object.entries(running).filter(([key]) => !(key.replace('tasks/', '') in answers));
  return (
    <div class="stack">
      {Object.entries(answers).map(([id, answer]) => (
        <section key={id} class="card" aria-label={`Answer of ${id}`}>
          <div class="row between">
            <h2>{id}</h2>
            <CopyButton text={() => (answer.json === null ? answer.text : JSON.stringify(answer.json, null, 2))} />
          </div>
          {answer.json === null ? (
            <p class="answer-text">{answer.text}</p>
          ) : (
            <div class="json">
              <JsonTree value={answer.json} open />
            </div>
          )}
        </section>
      ))}
      {unfinished.map(([key, text]) => (
        <section key={key} class="card" aria-label={`Answer of ${key} so far`}>
          <h2>{key.replace('tasks/', '')}</h2>
          <p class="answer-text">{text}</p>
        </section>
      ))}
    </div>
  );
}
