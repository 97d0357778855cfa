// Text that would run a script if a page took it for HTML.
export const MARKUP = '<img src=x onerror=window.hacked=1>';
