/** Puts a value in a map as the newest, and forgets the oldest where there are more than that. */
export function remember<T>(all: Map<string, T>, key: string, value: T, most: number): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.size > most ? all.keys() : [];
  if (oldest !== undefined) all.delete(oldest);
}
