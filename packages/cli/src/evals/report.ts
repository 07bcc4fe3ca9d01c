import type { Run } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { apiError } from "@promptreg/core/errors";
import { Interrupted, UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { countOf } from "../terminal/text.ts";
import { type Against, choose, compareWith, exitCodeOf } from "./against.ts";
import { keyReader } from "./dataset-keys.ts";
import { annotateReport, forLog, isGithub, writeOutputs } from "./github.ts";
import { bodyOf, refuseOther, type ReportOptions } from "./new-run.ts";
import { type ResultFile, withFiles } from "./readers/files.ts";
import { reportText } from "./report-text.ts";
import { checkResults, type Report, readResults } from "./results.ts";
import { sayLeaks } from "./secrets.ts";
import { sendResults } from "./send.ts";
import { checkPlaces, writeDocuments } from "./write-documents.ts";

export async function reportEval(
  context: Context,
  sources: readonly string[],
  options: ReportOptions,
): Promise<number> {
  const twice = sources.find((source, index) => sources.indexOf(source) !== index);
  // Its cases would count as attempts of their own.
  if (twice !== undefined) throw new UsageError(`${twice} is named twice.`);
  const { baseline, failOnRegression, maxDrop } = options;
  if (baseline === undefined && (failOnRegression || maxDrop !== undefined)) {
    throw new UsageError(
      `${failOnRegression ? "--fail-on-regression" : "--max-drop"} needs --baseline, such as --baseline production.`,
    );
  }
  await checkPlaces(options);
  return withFiles(sources, context.stdin, (files) => reportFiles(context, files, options));
}

async function reportFiles(
  context: Context,
  files: readonly ResultFile[],
  given: ReportOptions,
): Promise<number> {
  const { output, env } = context;
  const { client, waiting } = await context.connectForMany();
  const options = { ...given, readKeys: keyReader(client, given, output) };
  const report = await checkFiles(context, files, options);
  if (report.leaks.size > 0) output.note(sayLeaks(report.leaks));
  const body = bodyOf(report, options, env);
  const canRead = await mayRead(client, context, options);
  const { baseline } = options;
  // A run that is not there is found before anything is reported.
  if (baseline && "run" in baseline) await client.evals.runs.get({ id: baseline.run });
  const created = await client.evals.runs.create({ body });
  if (options.externalId) refuseOther(created, body);
  const chosen = baseline && (await choose(client, baseline, created));
  const run = await fill(context, client, { run: created, report, files, options, waiting });
  const against = chosen ? await compareWith(client, run, { chosen, maxDrop: options.maxDrop }) : null;
  const comparison = against?.comparison ?? null;
  output.result(asJson(run, against), () => forLog(env, reportText(run, report, against, output)));
  if (isGithub(env)) {
    annotateReport(run, report, against, output);
    await writeOutputs(env, outputsOf(run, against), output);
  }
  // Last: if a disk is full, the verdict has been said.
  const results = () => readResults(files, options, report.leaks);
  const uncompared = against !== null && comparison === null ? against.notes.join(" ") : null;
  await writeDocuments(context, client, { run, comparison, uncompared, results, canRead }, options);
  return exitCodeOf(run, against, options.failOnRegression === true);
}

async function checkFiles(
  { output }: Context,
  files: readonly ResultFile[],
  options: ReportOptions,
): Promise<Report> {
  let count = 0;
  const progress = output.progress(() => `${countOf(count, "result")} checked`);
  try {
    return await checkResults(files, options, () => void (count += 1));
  } finally {
    progress.end();
  }
}

/**
 * Whether the token may read. Asked only where something is to be read, so that a token that may do nothing but report
 * needs no further request.
 * @throws {ApiError} `token_scope` before anything is reported, if an option needs it.
 */
async function mayRead(client: Client, { env }: Context, options: ReportOptions): Promise<boolean> {
  const { baseline, markdown, html } = options;
  const needing = [baseline && "--baseline", markdown && "--markdown", html && "--html"].find(Boolean);
  if (needing === undefined && !env.GITHUB_STEP_SUMMARY) return false;
  const { token } = await client.users.me.get();
  const canRead = token.scopes.includes("read");
  if (canRead || needing === undefined) return canRead;
  throw apiError("token_scope", {
    message: `This token lacks the scope read, which ${needing} needs. Nothing was reported. Use a token with evals:write and read.`,
  });
}

interface Filling {
  run: Run;
  report: Report;
  files: readonly ResultFile[];
  options: ReportOptions;
  waiting: () => string;
}

/** Brings the results to a run and ends it. */
async function fill(
  context: Context,
  client: Client,
  { run, report, files, options, waiting }: Filling,
): Promise<Run> {
  const { output } = context;
  const { id } = run;
  const { externalId, verdict } = options;
  if (run.status === "failed") {
    throw apiError("run_finished", {
      message: `The run ${id} with this --external-id has failed. Nothing was added. Use another id.`,
    });
  }
  if (run.status === "completed") {
    output.note(`The run ${externalId} was already finished. Nothing was added.`);
    return run;
  }
  const stop = context.holdInterrupts();
  let sent = 0;
  const howFar = () => `${sent} of ${countOf(report.count, "result")} reported`;
  const progress = output.progress(() => `${howFar()}${waiting()}`);
  try {
    await sendResults({
      client,
      runId: id,
      read: () => readResults(files, options, report.leaks),
      known: run.summary.total,
      stop,
      onSent: (count) => void (sent = count),
    });
    return await client.evals.runs.update({ id, body: { status: "completed", verdict } }, { signal: stop });
  } catch (error) {
    const next = externalId
      ? "Run the same command again to go on."
      : "With --external-id, a report that breaks off can be completed.";
    const said = `The run ${id} is unfinished: ${howFar()}. ${next}`;
    if (stop.aborted) throw new Interrupted(`Stopped. ${said}`);
    output.note(said);
    throw error;
  } finally {
    progress.end();
  }
}

/** What `--json` prints. Cases are left out: their outputs may be large. */
function asJson(run: Run, against: Against | null) {
  const outcome = { run, outcome: against?.outcome ?? null, notes: against?.notes ?? [] };
  if (!against?.comparison) return { ...outcome, comparison: null };
  const { a, b, summary, verdict } = against.comparison;
  return { ...outcome, comparison: { a, b, summary, verdict } };
}

const outputsOf = ({ id, verdict, summary }: Run, against: Against | null) => ({
  "run-id": id,
  verdict: verdict ?? "",
  outcome: against?.outcome ?? "",
  "pass-rate": summary.passRate === null ? "" : String(summary.passRate),
});
