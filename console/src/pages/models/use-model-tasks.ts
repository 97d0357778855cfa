// The tasks on models. Those under way are followed, so that their progress is shown as it happens.
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { followOrPoll } from '../../api/follow-or-poll';
import { useResource } from '../../use-resource';
import { hasEnded, listModelTasks, readModelTask, taskEventsPath, type ModelTask } from './records';

export interface ModelTasks {
  tasks: ReadonlySignal<ModelTask[]>;
  add: (task: ModelTask) => void;
}

export function useModelTasks(onEnded: (task: ModelTask) => void): ModelTasks {
  const tasks = useSignal<ModelTask[]>([]);
  const { data: list } = useResource('', listModelTasks);
  const put = (task: ModelTask) => {
    const known = tasks.value.some((entry) => entry.id === task.id);
    tasks.value = known ? tasks.value.map((entry) => (entry.id === task.id ? task : entry)) : [task, ...tasks.value];
  };

  useEffect(() => {
    const loaded = list.value?.data ?? [];
    const added = tasks.value.filter((task) => !loaded.some((entry) => entry.id === task.id));
    tasks.value = [...added, ...loaded];
  }, [list.value]);

  const receive = (task: ModelTask) => {
    put(task);
    if (hasEnded(task)) onEnded(task);
    return hasEnded(task);
  };

  const followed = tasks.value
    .filter((task) => !hasEnded(task))
    .map((task) => task.id)
    .sort();
  useEffect(() => {
    const stops = followed.map((id) =>
      followOrPoll({
        path: taskEventsPath(id),
        use: 'page',
        handlers: {
          onMessage: (message) => receive(JSON.parse(message.data) as ModelTask),
          isLast: (message) => hasEnded(JSON.parse(message.data) as ModelTask),
        },
        poll: async (signal) => receive(await readModelTask(id, signal)),
      }),
    );
    return () => stops.forEach((stop) => stop());
  }, [followed.join()]);

  return { tasks, add: put };
}
