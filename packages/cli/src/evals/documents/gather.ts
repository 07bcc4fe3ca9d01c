import { ApiError } from "@promptreg/client";
import type { Client } from "../../requests/client.ts";
import type { ComparedAttempts, Result, Run, RunComparison, VersionScore } from "@promptreg/core";
import type { DocumentCase, DocumentSide, EvalDocument } from "./document.ts";
import { maxOutput, startOf } from "./limits.ts";

/** After so many characters no further results are read: more than that is never shown. */
const maxRead = 16 * 1024 * 1024;
/** Outputs are kept up to this length altogether. Cases after it are without. */
const maxKept = 6 * 1024 * 1024;
const page = { limit: 500 };

/** What is read first. A case that is not among the first may be missing in the document. */
const changes = ["broken", "errored", "onlyB", "sameFail", "fixed", "onlyA", "samePass"] as const;
const statuses = ["failed", "errored", "passed", "skipped"] as const;

/**
 * Reads what a report shows: the worst cases first, and only as many as a document can hold.
 * @param about `comparison` is the first page of it.
 */
export async function gatherDocument(
  client: Client,
  {
    run,
    comparison,
    uncompared = null,
  }: { run: Run; comparison: RunComparison | null; uncompared?: string | null },
): Promise<EvalDocument> {
  const scores = await scoresOf(client, run);
  if (comparison === null) return { run, comparison, uncompared, scores, ...(await casesOf(client, run)) };
  const { a: before, summary, verdict, areItemsVisible } = comparison;
  if (summary === null || verdict === null)
    throw new RangeError("This is not the first page of a comparison.");
  const cases = new Cases();
  for (const only of areItemsVisible ? changes : []) {
    if (summary[only] === 0) continue;
    const items = client.evals.compare({ query: { a: before.id, b: run.id, only, ...page } });
    for await (const { a, b: now, ...one } of items) {
      cases.add({ ...one, before: a && cases.sideOf(a), now: now && cases.sideOf(now) });
      if (cases.isFull) break;
    }
    if (cases.isFull) break;
  }
  const total = Object.values(summary).reduce((sum, count) => sum + count, 0);
  return {
    run,
    comparison: { before, summary, verdict },
    uncompared,
    cases: cases.all,
    unread: total - cases.all.length,
    areCasesVisible: areItemsVisible,
    scores,
  };
}

/** The newest hundred versions: more are no chart that anybody can read. */
async function scoresOf(client: Client, { prompt, model, dataset }: Run): Promise<VersionScore[]> {
  // The dataset was deleted.
  if (dataset !== null && dataset.id === null) return [];
  const { items } = await client.evals.scores({
    query: { prompt: prompt.ref, model, dataset: dataset?.id ?? "none", limit: 100 },
  });
  return items.toSorted((one, other) => one.versionNumber - other.versionNumber);
}

type CasesOfRun = Pick<EvalDocument, "cases" | "unread" | "areCasesVisible">;

async function casesOf(client: Client, { id, summary }: Run): Promise<CasesOfRun> {
  const cases = new Cases();
  let count = 0;
  try {
    for (const status of statuses) {
      if (summary[status] === 0) continue;
      for await (const result of client.evals.runs.results({ id, query: { status, ...page } })) {
        cases.addAttempt(result);
        count++;
        if (cases.isFull) break;
      }
      if (cases.isFull) break;
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "forbidden")) throw error;
    return { cases: [], unread: summary.total, areCasesVisible: false };
  }
  return { cases: cases.all, unread: Math.max(summary.total - count, 0), areCasesVisible: true };
}

/** Collects cases until enough was read. */
class Cases {
  readonly all: DocumentCase[] = [];
  private readonly byKey = new Map<string, { now: DocumentSide; scored: number }>();
  private read = 0;
  private kept = 0;

  get isFull(): boolean {
    return this.read > maxRead;
  }

  add(one: DocumentCase): void {
    this.all.push(one);
  }

  /** Adds an attempt of a case. The worst attempt of a case comes first, and is the one that is shown. */
  addAttempt(result: Result): void {
    const counts = result.status === "passed" || result.status === "failed";
    const attempt = {
      attempts: Number(counts),
      passRate: counts ? Number(result.status === "passed") : null,
      score: counts ? result.score : null,
      result,
    };
    const known = this.byKey.get(result.caseKey);
    if (known === undefined) {
      const now = this.sideOf(attempt);
      this.byKey.set(result.caseKey, { now, scored: Number(now.score !== null) });
      this.add({ caseKey: result.caseKey, change: null, before: null, now });
      return;
    }
    const { now } = known;
    this.read += sizeOf(result);
    now.passRate = meanWith(now.passRate, now.attempts, attempt.passRate);
    now.attempts += attempt.attempts;
    now.score = meanWith(now.score, known.scored, attempt.score);
    known.scored += Number(attempt.score !== null);
  }

  /** One side of a case, with as much of its output as there is room for. */
  sideOf({ result, ...counts }: ComparedAttempts): DocumentSide {
    this.read += sizeOf(result);
    const { output } = result;
    if (output === null) return { ...counts, result, cut: 0 };
    const shown = this.kept < maxKept ? startOf(output, maxOutput) : "";
    this.kept += shown.length;
    return { ...counts, result: { ...result, output: shown }, cut: output.length - shown.length };
  }
}

/** The mean of some values and one more. */
const meanWith = (mean: number | null, count: number, value: number | null) =>
  value === null ? mean : ((mean ?? 0) * count + value) / (count + 1);

const sizeOf = ({ output, error, assertions }: Result) =>
  400 +
  (output?.length ?? 0) +
  (error?.length ?? 0) +
  assertions.reduce((sum, { reason }) => sum + 60 + (reason?.length ?? 0), 0);
