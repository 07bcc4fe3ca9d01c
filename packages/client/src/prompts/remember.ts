/** Puts a value into a map as the newest, and deletes the oldest if there are more than `maxSize`. */
export function remember<T>(all: Map<string, T>, key: string, value: T, maxSize: number): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.size > maxSize ? all.keys() : [];
  if (oldest !== undefined) all.delete(oldest);
}
