import { randomUUID } from "node:crypto";
import { appendFile, stat } from "node:fs/promises";
import type { Run } from "@promptreg/client";
import type { Output } from "../terminal/output.ts";
import { type Against, brokenKeys } from "./against.ts";
import { reasonOf } from "./documents/document.ts";
import type { Report } from "./results.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What GitHub shows at most of a step. */
const maxAnnotations = 10;
const maxSummaryBytes = 1024 * 1024;

/** Whether this runs in a job of GitHub Actions. */
export const isGithub = (env: Env): boolean => env.GITHUB_ACTIONS === "true";

/**
 * Prints annotations for GitHub Actions, on standard error: how the run did against its baseline, what broke since, and what
 * failed. What others wrote stays within its annotation: it can neither end it nor begin a command.
 */
export function annotateReport(run: Run, report: Report, against: Against | null, output: Output): void {
  const broken = (against?.comparison?.items ?? []).map(({ caseKey, b }) => ({
    // Less than a regression may be noise.
    level: against?.outcome === "regression" ? "error" : "warning",
    title: `Broken: ${caseKey}`,
    message: (b && reasonOf(b.result)) || "It passed less often than before.",
  }));
  const known = brokenKeys(against);
  const bad = report.bad
    .filter(({ caseKey }) => !known.has(caseKey))
    .map((result) => ({
      // A run that passes may have failed cases: its threshold allows them.
      level: run.verdict === "fail" ? "error" : "warning",
      title: `${result.status === "failed" ? "Failed" : "Errored"}: ${result.caseKey}`,
      message: reasonOf(result) || "The tool gave no reason.",
    }));
  const all = [...headline(against), ...broken, ...bad];
  for (const { level, title, message } of all.slice(0, maxAnnotations)) {
    output.note(`::${level} title=${property(title)}::${data(message)}`);
  }
}

const headlines = {
  regression: { level: "error", title: "Regression" },
  not_comparable: { level: "warning", title: "Not comparable" },
  no_baseline: { level: "warning", title: "Not compared" },
  first: { level: "notice", title: "Not compared" },
};

function headline(against: Against | null) {
  if (against === null || against.outcome === "no_regression") return [];
  const [message = ""] = against.comparison?.verdict?.sentences ?? against.notes;
  return [{ ...headlines[against.outcome], message }];
}

const data = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/**
 * A text for people as it can stand in a log of GitHub Actions: names and outputs of others begin no command. A line that begins
 * with `::` is one, and the older form (`##[`) is one anywhere.
 */
export const forLog = (env: Env, text: string): string =>
  isGithub(env) ? text.replace(/^([^\S\n\r\u2028\u2029]*):(?=:)/gm, "$1: ").replaceAll("##[", "## [") : text;

/** Appends to the summary of the step, as far as GitHub shows it. A summary that cannot be written is a note. */
export async function writeSummary(env: Env, markdown: string, output: Output): Promise<void> {
  const file = env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  await orNote(output, "The step summary", async () => {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    const text = `${markdown.trimEnd()}\n\n`;
    if (size + Buffer.byteLength(text) > maxSummaryBytes) throw new Error("it would be larger than 1 MiB");
    await appendFile(file, text);
  });
}

/** Sets outputs of the step. No value can set another output: each ends at a delimiter that nobody can know. */
export async function writeOutputs(
  env: Env,
  values: Readonly<Record<string, string>>,
  output: Output,
): Promise<void> {
  const file = env.GITHUB_OUTPUT;
  if (!file) return;
  const text = Object.entries(values).map(([name, value]) => {
    const end = `end_${randomUUID()}`;
    return `${name}<<${end}\n${value}\n${end}\n`;
  });
  await orNote(output, "The outputs of the step", () => appendFile(file, text.join("")));
}

async function orNote(output: Output, what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    output.note(`${what} cannot be written: ${(error as Error).message}.`);
  }
}
