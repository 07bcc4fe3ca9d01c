import { apiError, type ErrorDetail } from "../catalogue/errors.ts";
import type { CaseInput } from "../groups/evals/case-schemas.ts";
import { evalLimits } from "../groups/evals/limits.ts";

/** A case to write, with its place in its dataset. */
export interface PlacedCase extends CaseInput {
  key: string;
  position: number;
}

/** The index of each case whose key an earlier one has. */
export function repeatedKeys(cases: readonly CaseInput[]): number[] {
  const first = new Map<string, number>();
  for (const [index, { key }] of cases.entries())
    if (key !== undefined && !first.has(key)) first.set(key, index);
  return [...cases.keys()].filter((index) => {
    const key = cases[index]?.key;
    return key !== undefined && first.get(key) !== index;
  });
}

/** Gives cases the positions after the last one, and a free key to those that have none. */
export function placeCases(
  cases: readonly CaseInput[],
  { lastPosition, taken }: { lastPosition: number; taken: readonly string[] },
): PlacedCase[] {
  const keys = new Set([...taken, ...cases.flatMap(({ key }) => key ?? [])]);
  let number = lastPosition;
  return cases.map((one, index) => {
    const position = lastPosition + index + 1;
    if (one.key !== undefined) return { ...one, key: one.key, position };
    number = Math.max(number + 1, position);
    while (keys.has(`case-${number}`)) number += 1;
    return { ...one, key: `case-${number}`, position };
  });
}

/** @throws {ApiError} `validation_failed` for cases of one request with the same key. */
export function refuseRepeated(cases: readonly CaseInput[]): void {
  const repeated = repeatedKeys(cases);
  if (repeated.length === 0) return;
  const message = "An earlier case of this request has the same key";
  throw apiError("validation_failed", { message: `${message}.`, details: detailsOf(repeated, message) });
}

/** @throws {ApiError} `name_taken` for the cases of these indexes, whose keys a dataset has. */
export function refuseTaken(indexes: readonly number[]): void {
  if (indexes.length === 0) return;
  const message = "The dataset has a case with this key already";
  throw apiError("name_taken", { message: `${message}.`, details: detailsOf(indexes, message) });
}

/** At most as many as the schema's own errors. */
const detailsOf = (indexes: readonly number[], message: string): ErrorDetail[] =>
  indexes.slice(0, 20).map((index) => ({ path: `/cases/${index}/key`, code: "custom", message }));

/** @throws {ApiError} `quota_exceeded`. */
export function requireRoom(count: number): void {
  if (count <= evalLimits.casesPerDataset) return;
  throw apiError("quota_exceeded", {
    message: `A dataset can have ${evalLimits.casesPerDataset} cases. With these it would have ${count}.`,
  });
}

export const keyTaken = (key: string) =>
  apiError("name_taken", { message: `The dataset has a case with the key "${key}" already.` });

export const nameTaken = (name: string) =>
  apiError("name_taken", { message: `This prompt has a dataset "${name}" already. Choose another name.` });
