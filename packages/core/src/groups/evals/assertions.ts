import type { CaseInput } from "./case-schemas.ts";

/** The assertions that the registry knows, as promptfoo names them. Each can be negated, as `not-contains`. */
export const assertionTypes: readonly string[] = [
  "equals",
  "contains",
  "icontains",
  "regex",
  "is-json",
  "contains-json",
  "javascript",
  "llm-rubric",
  "similar",
  "latency",
  "cost",
];
const known = new Set(assertionTypes.flatMap((type) => [type, `not-${type}`]));
/** A sentence names so many. */
const maxNamed = 10;

/** Adds the types of a case's assertions to `unknown` that the registry does not know: one more than a sentence names, at most. */
export function findUnknownAssertions({ assertions = [] }: CaseInput, unknown: Set<string>): void {
  for (const { type } of assertions) if (unknown.size <= maxNamed && !known.has(type)) unknown.add(type);
}

/** The warnings about types of assertions that the registry does not know. */
export function warnOfAssertions(unknown: ReadonlySet<string>): string[] {
  if (unknown.size === 0) return [];
  const names = [...unknown].map((type) => JSON.stringify(type)).slice(0, maxNamed);
  const more = unknown.size > maxNamed ? " and others" : "";
  return [
    `The registry does not know these types of assertions, and keeps them: ${names.join(", ")}${more}. It knows ${assertionTypes.join(", ")}.`,
  ];
}
