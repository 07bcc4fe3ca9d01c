import type { Variable } from "../template/variable.ts";

/** Which variables changed between two versions, by name. */
export interface VariableChanges {
  added: string[];
  removed: string[];
  changed: string[];
  /** Whether strict rendering can now refuse values that were valid before. */
  breaking: boolean;
}

/** Compares the variables of two versions by name: a renamed one counts as removed and added. */
export function compareVariables(before: readonly Variable[], after: readonly Variable[]): VariableChanges {
  const old = new Map(before.map((variable) => [variable.name, variable]));
  const kept = new Set(after.map(({ name }) => name));
  const removed = before.filter(({ name }) => !kept.has(name));
  const added = after.filter(({ name }) => !old.has(name));
  const pairs = after.flatMap((now) => {
    const was = old.get(now.name);
    return was === undefined || sortedJson(was) === sortedJson(now) ? [] : [{ was, now }];
  });
  return {
    added: added.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    changed: pairs.map(({ now }) => now.name),
    breaking: removed.length > 0 || added.some(needsValue) || pairs.some(({ was, now }) => narrows(was, now)),
  };
}

const needsValue = ({ required, default: value }: Variable) => required && value === null;

function narrows(was: Variable, now: Variable): boolean {
  const shape = ({ type }: Variable) => (type === "multiline" ? "text" : type);
  const options = new Set(now.options);
  return (
    (needsValue(now) && !needsValue(was)) ||
    shape(was) !== shape(now) ||
    (was.options ?? []).some((option) => !options.has(option)) ||
    (now.minLength ?? 0) > (was.minLength ?? 0) ||
    (now.maxLength ?? Infinity) < (was.maxLength ?? Infinity) ||
    (now.min ?? -Infinity) > (was.min ?? -Infinity) ||
    (now.max ?? Infinity) < (was.max ?? Infinity)
  );
}

/** JSON with sorted keys, so that equal values are equal texts. A database may return the keys in another order. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item) =>
    item !== null && typeof item === "object" && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
