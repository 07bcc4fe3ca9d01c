import { describeIssue, ResultInput } from "@promptreg/core";
import { type Detail, InputError, UsageError } from "../errors.ts";
import type { ResultFile } from "./readers/files.ts";
import type { Found, Reader, ReadOptions, ReportHeader } from "./readers/reader.ts";
import { readerOf, withoutMark } from "./readers/recognise.ts";
import { isFields } from "./readers/values.ts";
import { type Leaks, withoutSecrets } from "./secrets.ts";

/** What files of results say, of which at most a few results are kept. */
export interface Report {
  /** The first two models that the files name. */
  models: string[];
  /** Who wrote the files. */
  tools: string[];
  threshold?: number | undefined;
  count: number;
  /** Of the first cases that failed or errored, the first such result. */
  bad: ResultInput[];
  /** How many cases failed or errored. */
  badCount: number;
  /** Empty if secrets are allowed. */
  leaks: Leaks;
}

export interface CheckOptions extends ReadOptions {
  /** Whether what looks like a secret is sent too. */
  allowSecrets?: boolean;
}

const maxBad = 10;
const maxDetails = 20;
const maxAttempts = 1000;

/**
 * Checks all results of some files, which together are one run, before a run is made, so that none is left half reported.
 * A result without `index` takes its position.
 */
export async function checkResults(
  files: readonly ResultFile[],
  options: CheckOptions,
  onResult: () => void = () => {},
): Promise<Report> {
  const report: Report = { models: [], tools: [], count: 0, bad: [], badCount: 0, leaks: new Map() };
  const badKeys = new Set<string>();
  const details: Detail[] = [];
  let problems = 0;
  for await (const one of foundIn(files, options)) {
    if ("header" in one) {
      adopt(report, one.header);
      continue;
    }
    report.count++;
    onResult();
    if ("problem" in one) {
      problems++;
      if (details.length < maxDetails) details.push(one.problem);
      continue;
    }
    const leak = options.allowSecrets ? null : await withoutSecrets(one.result);
    const { result } = leak ?? one;
    const { caseKey, status } = result;
    if (leak !== null) report.leaks.set(result.index, { caseKey, kind: leak.kind });
    if (status !== "failed" && status !== "errored") continue;
    if (report.bad.length < maxBad && !badKeys.has(caseKey)) report.bad.push(result);
    badKeys.add(caseKey);
  }
  report.badCount = badKeys.size;
  const names = files.map(({ name }) => name).join(", ");
  if (report.count === 0) {
    throw new InputError(`${names} ${files.length === 1 ? "contains" : "contain"} no results.`);
  }
  if (problems === 0) return report;
  throw new InputError(`${names}: ${problems} of ${report.count} results cannot be reported.`, details);
}

/** Reads results that were checked before. `leaks` is what was found then. */
export async function* readResults(
  files: readonly ResultFile[],
  options: ReadOptions,
  leaks: Leaks,
): AsyncGenerator<ResultInput> {
  for await (const one of foundIn(files, options)) {
    if ("problem" in one)
      throw new InputError("The results changed while they were reported.", [one.problem]);
    if (!("result" in one)) continue;
    const leak = leaks.has(one.result.index) ? await withoutSecrets(one.result) : null;
    yield leak?.result ?? one.result;
  }
}

/** Takes what a file says of the run. Several files may say the same. */
function adopt(report: Report, { tool, model, threshold }: ReportHeader): void {
  if (tool !== undefined && !report.tools.includes(tool)) report.tools.push(tool);
  if (model !== undefined && report.models.length < 2 && !report.models.includes(model)) {
    report.models.push(model);
  }
  report.threshold ??= threshold;
}

type Checked = { header: ReportHeader } | { result: ResultInput } | { problem: Detail };

async function* foundIn(files: readonly ResultFile[], options: ReadOptions): AsyncGenerator<Checked> {
  const numbering = new Numbering();
  for (const file of files) {
    const reader = await readerOf(file);
    if (!reader.holdsSeveralRuns) refuseChoice(options, `${file.name} is read as ${reader.name}.`);
    yield { header: { tool: reader.tool } };
    const prefix = files.length === 1 ? "" : `${file.name}: `;
    try {
      for await (const one of reader.read(() => withoutMark(file.bytes()), options)) {
        yield "header" in one ? one : numbering.check(one, reader, prefix);
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new InputError(`${file.name}: ${error.message}`, error.details);
    }
  }
}

function refuseChoice({ provider, promptLabel }: ReadOptions, instead: string): void {
  if (provider === undefined && promptLabel === undefined) return;
  throw new UsageError(
    `--provider and --prompt-label choose one of the runs that a file of promptfoo holds. ${instead}`,
  );
}

/** Gives results their index and attempt, in their order, and holds them against the contract. */
class Numbering {
  private count = 0;
  /** Where each case and attempt was found. */
  private readonly places = new Map<string, string>();
  /** The latest attempt of the cases that have several. */
  private readonly latest = new Map<string, number>();

  check(found: Extract<Found, { place: string }>, reader: Reader, prefix: string): Checked {
    const index = this.count++;
    const { result: item } = found;
    const place = `${prefix}${found.place}`;
    const parsed = ResultInput.safeParse(isFields(item) ? { index, ...item } : item, {
      error: describeIssue,
    });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const path = [place, ...(issue?.path ?? [])].join(".");
      return { problem: { path, message: issue?.message ?? "is not a result" } };
    }
    const result = reader.saysAttempts ? parsed.data : this.asNextAttempt(parsed.data);
    const { caseKey, attempt = 1 } = result;
    if (attempt > maxAttempts) {
      return { problem: { path: place, message: `more than ${maxAttempts} attempts of one case` } };
    }
    const earlier = this.places.get(`${attempt} ${caseKey}`);
    if (earlier !== undefined) {
      return { problem: { path: place, message: `the same case and attempt as ${earlier}` } };
    }
    this.places.set(`${attempt} ${caseKey}`, place);
    return { result };
  }

  private asNextAttempt(result: ResultInput): ResultInput {
    const { caseKey } = result;
    let attempt = this.latest.get(caseKey) ?? 1;
    while (this.places.has(`${attempt} ${caseKey}`)) attempt++;
    if (attempt > 1) this.latest.set(caseKey, attempt);
    return attempt > 1 ? { ...result, attempt } : result;
  }
}

const maxResults = 1000;
/** Half of what the server takes, so that escapes never matter. */
const maxBatchBytes = 8 * 1024 * 1024;
/** Fewer than the values that the server takes in one body: the fields of a result, and those of its assertions. */
const maxBatchValues = 90_000;
const valuesOf = ({ assertions = [] }: ResultInput) => 15 + 5 * assertions.length;

/** Parts results into batches that fit a request each. */
export async function* batches(results: AsyncIterable<ResultInput>): AsyncGenerator<ResultInput[]> {
  let batch: ResultInput[] = [];
  let bytes = 0;
  let values = 0;
  for await (const result of results) {
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
