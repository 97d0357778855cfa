// The tasks on models. Those under way are followed, so that their progress is shown as it happens.
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { followEvents } from '../../api/events';
import { useResource } from '../../use-resource';
import { hasEnded, listModelTasks, taskEventsPath, type ModelTask } from './records';

// Browsers open only six connections to a server over HTTP/1.1, and other requests need some of them.
const MAX_FOLLOWED = 3;

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

  const followed = tasks.value
    .filter((task) => !hasEnded(task))
    .map((task) => task.id)
    .sort()
    .slice(0, MAX_FOLLOWED);
  useEffect(() => {
    const stops = followed.map((id) =>
      followEvents(taskEventsPath(id), {
        onMessage: (message) => {
          const task = JSON.parse(message.data) as ModelTask;
          put(task);
          if (hasEnded(task)) onEnded(task);
        },
        isLast: (message) => hasEnded(JSON.parse(message.data) as ModelTask),
      }),
    );
    return () => stops.forEach((stop) => stop());
  }, [followed.join()]);

  return { tasks, add: put };
}
