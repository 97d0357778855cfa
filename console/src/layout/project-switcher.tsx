// Operators choose the project that the pages show; everybody else sees the name of theirs.
import { chooseProject, isOperator, project, projectNames } from '../session';

export function ProjectSwitcher() {
  if (!isOperator.value) return <span class="project-name">{project.value}</span>;
  const names = projectNames.value.includes(project.value)
    ? projectNames.value
    : [...projectNames.value, project.value];
  return (
    <label class="project-switcher">
      <span aria-hidden="true">Project</span>
      <select aria-label="Project" value={project.value} onChange={(event) => chooseProject(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name} selected={name === project.value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
