import { describeIssue, ResultInput } from "@promptreg/core";
import { InputError } from "../errors.ts";

/** What a file of results says. */
export interface Report {
  model?: string;
  threshold?: number;
  results: ResultInput[];
}

/**
 * Reads results: JSON, as a list or as `{ model?, threshold?, results }`, or JSON Lines, one result each. All
 * are checked before a run is made, so that none is left half reported. A result without `index` takes its place.
 */
export function readResults(text: string, name: string): Report {
  const { results, ...report } = parse(text.replace(/^\uFEFF/, ""), name);
  if (results.length === 0) throw new InputError(`${name} contains no results.`);
  return { ...report, results: checkResults(results, name) };
}

function parse(text: string, name: string): Omit<Report, "results"> & { results: unknown[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { results: parseLines(text, name, error as Error) };
  }
  if (Array.isArray(value)) return { results: value };
  if (typeof value !== "object" || value === null) throw new InputError(`${name} contains no results.`);
  // A single line of JSON Lines is JSON too.
  if (!("results" in value)) return { results: [value] };
  const { model, threshold, results, ...rest } = value as Record<string, unknown>;
  const unknown = Object.keys(rest);
  if (unknown.length > 0) {
    throw new InputError(
      `${name} contains ${unknown.slice(0, 5).join(", ")}; only model, threshold and results are allowed.`,
    );
  }
  if (!Array.isArray(results)) throw new InputError(`${name}: results must be a list.`);
  if (model !== undefined && typeof model !== "string") throw new InputError(`${name}: model must be text.`);
  if (threshold !== undefined && !(typeof threshold === "number" && threshold >= 0 && threshold <= 1)) {
    throw new InputError(`${name}: threshold must be a number from 0 to 1.`);
  }
  return { model, threshold, results };
}

function parseLines(text: string, name: string, problem: Error): unknown[] {
  const lines = text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines.flatMap(({ line, number }) => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (error) {
      const { message } = number === 1 ? problem : (error as Error);
      throw new InputError(`${name} is neither JSON nor JSON Lines; line ${number}: ${message}.`);
    }
  });
}

function checkResults(items: readonly unknown[], name: string): ResultInput[] {
  const places = new Map<string, number>();
  const problems: { path: string; message: string }[] = [];
  const results = items.flatMap((item, index) => {
    const parsed = ResultInput.safeParse(isObject(item) ? { index, ...item } : item, {
      error: describeIssue,
    });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const path = ["results", index, ...(issue?.path ?? [])].join(".");
      problems.push({ path, message: issue?.message ?? "is not a result" });
      return [];
    }
    const { caseKey, attempt = 1 } = parsed.data;
    const earlier = places.get(`${attempt} ${caseKey}`);
    if (earlier !== undefined) {
      const message = `the same case and attempt as results.${earlier}`;
      problems.push({ path: `results.${index}`, message });
    }
    places.set(`${attempt} ${caseKey}`, index);
    return [parsed.data];
  });
  if (problems.length === 0) return results;
  const count = `${problems.length} of ${items.length} results`;
  throw new InputError(`${name}: ${count} cannot be reported.`, problems);
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const maxResults = 1000;
/** Half of what the server takes, so that escapes never matter. */
const maxBatchBytes = 8 * 1024 * 1024;
/** Fewer than the values that the server takes in one body: the fields of a result, and those of its assertions. */
const maxBatchValues = 90_000;
const valuesOf = ({ assertions = [] }: ResultInput) => 15 + 5 * assertions.length;

/** Parts results into batches that fit a request each. */
export function* batches(results: readonly ResultInput[]): Generator<ResultInput[]> {
  let batch: ResultInput[] = [];
  let bytes = 0;
  let values = 0;
  for (const result of results) {
    const size = Buffer.byteLength(JSON.stringify(result));
    const isOver = bytes + size > maxBatchBytes || values + valuesOf(result) > maxBatchValues;
    if (batch.length === maxResults || (batch.length > 0 && isOver)) {
      yield batch;
      batch = [];
      bytes = 0;
      values = 0;
    }
    batch.push(result);
    bytes += size;
    values += valuesOf(result);
  }
  if (batch.length > 0) yield batch;
}
