// The operator's choice between one project and all of them, kept in the address.
import { computed } from '@preact/signals';
import { Segmented } from '../components/segmented';
import { query, setQuery } from '../router';
import { isOperator, project } from '../session';

export const showsAllProjects = computed(() => isOperator.value && query.value.get('scope') === 'all');

// A changed choice starts again at the first page of a list.
export function ProjectScope() {
  if (!isOperator.value) return null;
  return (
    <Segmented
      label="Projects"
      value={showsAllProjects.value ? 'all' : 'one'}
      onChange={(scope) => setQuery({ scope: scope === 'all' ? 'all' : null, after: null })}
      options={[
        { value: 'one', label: project.value },
        { value: 'all', label: 'All projects' },
      ]}
    />
  );
}
