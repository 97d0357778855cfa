// The token of a sign-in link. It leaves the address at once, so that it stays out of the history and of screenshots.

export function takeLinkToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('link');
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}
