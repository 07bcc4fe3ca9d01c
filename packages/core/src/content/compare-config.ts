import { sortedJson } from "./compare-variables.ts";

/** The settings that differ between two versions by value, or that only one of them has; sorted. */
export function compareConfig(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => sortedJson(old.get(name)) !== sortedJson(now.get(name)))
    .sort();
}
