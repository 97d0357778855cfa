// The filters of the jobs list.
import { Button } from '../../components/button';
import { SelectField } from '../../components/select-field';
import { TextField } from '../../components/text-field';
import { statusName } from '../../format/names';
import { ProjectScope } from '../../layout/project-scope';
import { query, setQuery } from '../../router';
import { filterNames, hasFilter } from './filter';

const statuses = ['queued', 'in_progress', 'cancelling', 'completed', 'failed', 'cancelled'];

// A changed filter starts again at the first page.
const setFilter = (name: string, value: string): void => setQuery({ [name]: value, after: null });

export function FilterBar() {
  const value = (name: string) => query.value.get(name) ?? '';
  const clear = () => setQuery(Object.fromEntries([...filterNames, 'after'].map((name) => [name, null])));
  return (
    <form class="filter-bar" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <ProjectScope />
      <SelectField
        label="Status"
        value={value('status')}
        options={[
          { value: '', label: 'Any' },
          ...statuses.map((status) => ({ value: status, label: statusName(status) })),
        ]}
        onChange={(status) => setFilter('status', status)}
      />
      <SelectField
        label="Kind"
        value={value('operation')}
        options={[
          { value: '', label: 'Any' },
          { value: 'transcription', label: 'Transcription' },
          { value: 'analysis', label: 'Analysis' },
        ]}
        onChange={(operation) => setFilter('operation', operation)}
      />
      <TextField
        label="From"
        value={value('from')}
        onInput={(day) => setFilter('from', day)}
        input={{ type: 'date' }}
      />
      <TextField
        label="To"
        value={value('to')}
        onInput={(day) => setFilter('to', day)}
        error={value('from') && value('to') && value('to') < value('from') ? 'Choose a day that is not before “From”.' : null}
        input={{ type: 'date' }}
      />
      {hasFilter.value && (
        <Button kind="quiet" size="small" icon="close" onClick={clear}>
          Clear
        </Button>
      )}
    </form>
  );
}
