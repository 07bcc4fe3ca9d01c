import { cell } from "../terminal/text.ts";
import type { Client, ResultInput, Run } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import { batches, readResults } from "./results.ts";
import { sourceOf } from "./source.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Output } from "../terminal/output.ts";
import { readInput } from "../terminal/read-input.ts";

interface ReportOptions {
  prompt: PromptAddress;
  model?: string;
  threshold?: number;
  externalId?: string;
  verdict?: "pass" | "fail";
}

export async function reportEval(
  { connect, output, env, stdin }: Context,
  file: string,
  { prompt, externalId, verdict, ...options }: ReportOptions,
): Promise<number> {
  const { results, ...report } = readResults(
    await readInput(file, stdin),
    file === "-" ? "Standard input" : file,
  );
  const { model = report.model, threshold = report.threshold } = options;
  if (model === undefined) throw new UsageError("Name the model: --model, or model in the file.");
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
    created.status === "running" ? await fill(client, created, { results, verdict }, output) : created;
  output.result(run, () => asText(run, results, output));
  return exitCodes[run.verdict === "fail" ? "evalFailed" : "ok"][0];
}

/** Brings the results to a run and ends it. */
async function fill(
  client: Client,
  { id }: Run,
  { results, verdict }: { results: readonly ResultInput[]; verdict: "pass" | "fail" | undefined },
  output: Output,
): Promise<Run> {
  try {
    for (const batch of batches(results)) {
      await client.evals.runs.appendResults({ id, body: { results: batch } });
    }
    return await client.evals.runs.update({ id, body: { status: "completed", verdict } });
  } catch (error) {
    output.note(`The run ${id} is unfinished. With --external-id, report it again to complete it.`);
    throw error;
  }
}

const percent = (share: number | null) => (share === null ? "none" : `${Number((share * 100).toFixed(1))} %`);
const maxFailures = 10;

function asText(
  { id, prompt, versionNumber, model, verdict, threshold, summary }: Run,
  results: readonly ResultInput[],
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
  const bad = results.filter(({ status }) => status === "failed" || status === "errored");
  return [
    bold(paint(verdict ?? "no verdict: no results count")),
    ...Object.entries(rows).map(([name, value]) => `${dim(name.padEnd(10))} ${value}`),
    ...bad.slice(0, maxFailures).map(({ caseKey, status, error }) => {
      const why = error ? dim(`  ${cell(error).slice(0, 200)}`) : "";
      return `${red(status.padEnd(10))} ${cell(caseKey)}${why}`;
    }),
    ...(bad.length > maxFailures ? [dim(`and ${bad.length - maxFailures} more`)] : []),
  ].join("\n");
}
