// A format of `Intl` takes milliseconds to make, and no page needs all of them. So each is made when it is used first.

export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
