import { apiError, invalid } from "../catalogue/errors.ts";
import type { EventData } from "../catalogue/events.ts";
import { maxOutputBytes, type ResultInput } from "../groups/evals/results.ts";
import type { UpdateRun } from "../groups/evals/runs.ts";
import type { Run, RunSummary } from "../groups/evals/schemas.ts";

/** Pass if enough passed and nothing errored. Without results that count there is no verdict. */
const computedVerdict = ({ passRate, errored }: RunSummary, threshold: number): Run["verdict"] =>
  passRate === null ? null : passRate >= threshold && errored === 0 ? "pass" : "fail";

/** How a run ended. */
export interface Ending extends Pick<Run, "verdict" | "verdictSource" | "summary" | "error"> {
  status: "completed" | "failed";
}

/** How a run ends, with the reported verdict, or else the one computed from its results. */
export function endingOf(
  { threshold, summary }: Pick<Run, "threshold" | "summary">,
  { status = "completed", ...reported }: UpdateRun,
): Ending {
  const computed = status === "completed" ? computedVerdict(summary, threshold) : null;
  const verdict = reported.verdict ?? computed;
  const verdictSource = verdict === null ? null : reported.verdict ? "reported" : "computed";
  return { status, verdict, verdictSource, summary, error: reported.error ?? null };
}

/** How a run without a report for a day ends: the reporter has died, and receivers wait for the event. */
export const timedOut = (summary: RunSummary): Ending => ({
  status: "failed",
  verdict: null,
  verdictSource: null,
  summary,
  error: "timed_out",
});

/**
 * Refuses a second, different ending. The same ending passes: a client retries if the response was lost.
 * @throws {ApiError} `run_finished`, or `validation_failed` for an ending without a status.
 */
export function refuseOtherEnding(
  run: Pick<Run, "status" | "verdict" | "error">,
  { status, verdict, error }: UpdateRun,
): void {
  const isOther = (verdict ?? run.verdict) !== run.verdict || (error !== undefined && error !== run.error);
  if (run.status !== "running" && (isOther || (status ?? run.status) !== run.status))
    throw apiError("run_finished");
  if (status === undefined && isOther) {
    throw invalid("/status", "A verdict or an error needs a status that ends the run.");
  }
}

/** @throws {ApiError} `validation_failed` for a verdict that is not there. */
export function requireVerdict({ verdict }: Pick<Run, "verdict">): void {
  if (verdict === null) throw invalid("/pinned", "This run has no verdict to pin.");
}

/**
 * The revision of the dataset whose cases were run.
 * @throws {ApiError} `validation_failed` for one that it has not reached.
 */
export function revisionOf({ revision }: { revision: number }, wanted: number | undefined): number {
  if (wanted === undefined || wanted <= revision) return wanted ?? revision;
  const message = `The dataset is at revision ${revision}`;
  throw apiError("validation_failed", {
    message: `${message}, and not yet at ${wanted}.`,
    details: [{ path: "/datasetRevision", code: "custom", message }],
  });
}

/** A result as it is stored: a long output is cut. */
export interface StoredResult extends ResultInput {
  outputTruncated: boolean;
}

/**
 * A batch of results as it is stored.
 * @throws {ApiError} `validation_failed` if it has an attempt twice.
 */
export function batchOf(results: readonly ResultInput[]): StoredResult[] {
  const attempts = new Set(results.map(({ caseKey, attempt = 1 }) => `${attempt} ${caseKey}`));
  if (attempts.size < results.length) {
    throw invalid("/results", "A batch cannot have the same case and attempt twice.");
  }
  return results.map(cutOutput);
}

/** Cuts an output to the stored length, between characters. */
function cutOutput(result: ResultInput): StoredResult {
  const { output } = result;
  const bytes = output ? new TextEncoder().encode(output) : [];
  if (bytes.length <= maxOutputBytes) return { ...result, outputTruncated: false };
  const cut = (bytes as Uint8Array).subarray(0, maxOutputBytes);
  return {
    ...result,
    output: new TextDecoder("utf-8", { ignoreBOM: true }).decode(cut, { stream: true }),
    outputTruncated: true,
  };
}

/** The data of eval.run.failed. */
export function failedOf(run: Run, publicUrl: string): EventData<"eval.run.failed"> {
  const { id, versionNumber, model, dataset, status, verdict, threshold, summary, source } = run;
  const { finishedAt, error } = run;
  return {
    run: {
      id,
      versionNumber,
      model,
      dataset,
      status,
      verdict,
      threshold,
      summary,
      source,
      url: `${publicUrl}/api/v1/evals/runs/${id}`,
      finishedAt: finishedAt ?? "",
      error: { message: error ?? "" },
    },
  };
}

/** The data of eval.run.completed: the same without the error. */
export function completedOf(ended: Run, publicUrl: string): EventData<"eval.run.completed"> {
  const { error: _, ...run } = failedOf(ended, publicUrl).run;
  return { run };
}
