// Prefixes of the console's API.

export const consolePath = (project: string, rest: string): string =>
  `/console/v1/projects/${encodeURIComponent(project)}${rest}`;

export const operatorProjectPath = (project: string, rest = ''): string =>
  `/operator/v1/projects/${encodeURIComponent(project)}${rest}`;
