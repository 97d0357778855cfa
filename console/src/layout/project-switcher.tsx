// Operators choose the project that the pages show; everybody else sees the name of theirs.
import { asApiError } from '../api/error';
import { showToast } from '../components/toasts';
import { chooseProject, isOperator, loadProjectNames, project, projectNames } from '../session';

export function ProjectSwitcher() {
  if (!isOperator.value) {
    return (
      <p class="project-switcher">
        <span>Project</span>
        <strong class="project-name">{project.value}</strong>
      </p>
    );
  }
  const names = projectNames.value.includes(project.value)
    ? projectNames.value
    : [...projectNames.value, project.value];
  return (
    <label class="project-switcher">
      <span aria-hidden="true">Project</span>
      <select
        aria-label="Project"
        value={project.value}
        onPointerEnter={loadOnce}
        onFocus={loadOnce}
        onChange={(event) => chooseProject(event.currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name} value={name} selected={name === project.value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function loadOnce(): void {
  if (projectNames.value.length === 0) {
    loadProjectNames().catch((error: unknown) => showToast(asApiError(error).message, 'bad'));
  }
}
