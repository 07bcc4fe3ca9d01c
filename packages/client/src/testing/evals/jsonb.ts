import { compareTexts } from "@promptreg/core/evals";

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** JSON as the database keeps it: the shortest names first. */
export function asStored<T>(value: T): T {
  if (Array.isArray(value)) return value.map(asStored) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, asStored(field)] as const);
  fields.sort(([a], [b]) => bytesOf(a) - bytesOf(b) || compareTexts(a, b));
  return Object.fromEntries(fields) as T;
}

/** Whether the database takes two values for the same. */
export const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(asStored(a)) === JSON.stringify(asStored(b));

/** How long values are as the database prints them, in bytes: a space follows each comma and colon. */
export const sizeOf = (...values: unknown[]): number =>
  values.reduce<number>((size, value) => size + (value === null ? 0 : bytesOf(printed(value))), 0);

function printed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${printed(field)}`);
  return `{${fields.join(", ")}}`;
}
