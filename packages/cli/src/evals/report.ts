import { cell } from "../terminal/text.ts";
import type { Client, ResultInput, Run } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import { type ResultFile, withFiles } from "./readers/files.ts";
import type { ReadOptions } from "./readers/reader.ts";
import { batches, checkResults, type Report, readResults } from "./results.ts";
import { sourceOf } from "./source.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Output } from "../terminal/output.ts";

interface ReportOptions extends ReadOptions {
  prompt: PromptAddress;
  model?: string;
  threshold?: number;
  externalId?: string;
  verdict?: "pass" | "fail";
}

export function reportEval(
  context: Context,
  sources: readonly string[],
  options: ReportOptions,
): Promise<number> {
  const twice = sources.find((source, index) => sources.indexOf(source) !== index);
  // Its cases would count as attempts of their own.
  if (twice !== undefined) throw new UsageError(`${twice} is named twice.`);
  return withFiles(sources, context.stdin, (files) => reportFiles(context, files, options));
}

async function reportFiles(
  { connect, output, env }: Context,
  files: readonly ResultFile[],
  options: ReportOptions,
): Promise<number> {
  const { prompt, externalId, verdict } = options;
  const report = await checkResults(files, options);
  const { threshold = report.threshold } = options;
  const model = options.model ?? modelOf(report);
  const client = await connect();
  const { owner, slug, version: versionNumber, label } = prompt;
  const created = await client.evals.runs.create({
    body: {
      prompt: `${owner}/${slug}`,
      versionNumber,
      label,
      model,
      threshold,
      externalId,
      source: sourceOf(env),
    },
  });
  if (created.status !== "running")
    output.note(`The run ${externalId} was already finished. Nothing was added.`);
  const run =
    created.status === "running"
      ? await fill(client, created, { results: readResults(files, options), verdict }, output)
      : created;
  output.result(run, () => asText(run, report, output));
  return exitCodes[run.verdict === "fail" ? "evalFailed" : "ok"][0];
}

function modelOf({ models: [model, other] }: Report): string {
  if (model === undefined) throw new UsageError("Name the model: --model, or model in the file.");
  if (other === undefined) return model;
  throw new UsageError(
    `The files name several models, such as ${model} and ${other}. Report each as a run of its own, or name one: --model.`,
  );
}

/** Brings the results to a run and ends it. */
async function fill(
  client: Client,
  { id }: Run,
  { results, verdict }: { results: AsyncIterable<ResultInput>; verdict: "pass" | "fail" | undefined },
  output: Output,
): Promise<Run> {
  try {
    for await (const batch of batches(results)) {
      await client.evals.runs.appendResults({ id, body: { results: batch } });
    }
    return await client.evals.runs.update({ id, body: { status: "completed", verdict } });
  } catch (error) {
    output.note(`The run ${id} is unfinished. With --external-id, report it again to complete it.`);
    throw error;
  }
}

const percent = (share: number | null) => (share === null ? "none" : `${Number((share * 100).toFixed(1))} %`);
/** Why a result is bad, in the words of its tool. */
const reasonOf = ({ error, assertions = [] }: ResultInput) =>
  error ?? assertions.find(({ passed }) => !passed)?.reason;

function asText(
  { id, prompt, versionNumber, model, verdict, threshold, summary }: Run,
  { bad, badCount }: Report,
  { colors: { bold, green, red, dim } }: Output,
): string {
  const paint = verdict === "fail" ? red : green;
  const { passed, failed, errored, skipped, passRate } = summary;
  const rows = {
    "pass rate": `${percent(passRate)}, ${percent(threshold)} needed`,
    passed,
    failed,
    errored,
    skipped,
    run: cell(`${id} of ${prompt.ref}@${versionNumber}, ${model}`),
  };
  return [
    bold(paint(verdict ?? "no verdict: no results count")),
    ...Object.entries(rows).map(([name, value]) => `${dim(name.padEnd(10))} ${value}`),
    ...bad.map((result) => {
      const { caseKey, status } = result;
      const reason = reasonOf(result);
      const why = reason ? dim(`  ${cell(reason).slice(0, 200)}`) : "";
      return `${red(status.padEnd(10))} ${cell(caseKey)}${why}`;
    }),
    ...(badCount > bad.length ? [dim(`and ${badCount - bad.length} more`)] : []),
  ].join("\n");
}
