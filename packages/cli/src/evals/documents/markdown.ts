import type { Run } from "@promptreg/core";
import { cell } from "../../terminal/text.ts";
import { type DocumentCase, type EvalDocument, reasonOf } from "./document.ts";
import { figuresOf, metricsOf, whole } from "./figures.ts";
import { startOf } from "./limits.ts";
import { type Headline, headlineOf } from "./verdict.ts";

/** What GitHub takes in a comment is 65,536 characters: this stays below with the longest of all texts. */
const maxCases = 20;
const maxNames = 40;
const maxName = 100;
const maxReason = 300;

/**
 * A run as a comment of a pull request, and as the summary of a job. Texts of others stand in code alone, where they can make
 * no link, no picture, no mention and no markup.
 */
export function markdownOf(document: EvalDocument): string {
  const { run, comparison, areCasesVisible } = document;
  const versions = comparison ? ` against version ${comparison.before.versionNumber}` : "";
  return `${[
    markerOf(run),
    `### ${headingOf(headlineOf(document))}`,
    `${code(`${run.prompt.ref}@${run.versionNumber}`)}${versions} with ${code(run.model)}${run.dataset ? ` on ${code(run.dataset.name)}${run.dataset.revision === null ? "" : `, revision ${run.dataset.revision}`}` : ""}`,
    headlineOf(document)
      .verdicts.map(({ sentence }) => prose(sentence))
      .join("\n"),
    tableOf(document),
    ...(areCasesVisible ? listsOf(document) : []),
    comparison && methodOf(comparison.verdict),
    code(run.id),
  ]
    .filter((part) => typeof part === "string")
    .join("\n\n")}\n`;
}

/** The first line of the comment, by which the comment before is found and replaced. */
export function markerOf({ prompt, model, dataset }: Run): string {
  // Two hyphens may end a comment.
  const safe = (name: string) => encodeURIComponent(name.toWellFormed()).replaceAll("--", "-%2D");
  return `<!-- promptreg:${prompt.ref}:${safe(model)}:${safe(dataset?.name ?? "")} -->`;
}

const signs = { good: "✅", bad: "❌", unsure: "⚠️" };
const headingOf = ({ tone, verdicts }: Headline) =>
  `${signs[tone]} ${verdicts.map(({ word }) => word).join(" · ")}`;

/**
 * Text of others as code, within a fence that is longer than any in it. In a table a pipe ends the cell, whatever stands
 * before it.
 */
function code(text: string, length = maxName): string {
  const line = cell(text.toWellFormed()).trim();
  const shown = line.length > length ? `${startOf(line, length)}…` : line;
  if (shown === "") return "(empty)";
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${shown.replaceAll("|", "¦")}${space}${fence}`;
}

/** Sentences of the registry, in which no text of a result is: a sign in them is no markup. */
const prose = (sentence: string) => cell(sentence).replace(/[\\`*_[\]<>|~]/g, "\\$&");

function tableOf(document: EvalDocument): string {
  const isCompared = document.comparison !== null;
  const row = (cells: readonly (string | null)[]) =>
    `| ${cells.filter((text) => text !== null).join(" | ")} |`;
  const rows = [
    ...figuresOf(document).map(({ name, before, now, change }) => row([name, before, now, change])),
    ...metricsOf(document).map(({ name, before, now, change }) => row([code(name, 60), before, now, change])),
  ];
  return [
    row(isCompared ? ["", "Before", "Now", "Change"] : ["", "This run"]),
    row(isCompared ? ["---", "--:", "--:", "--:"] : ["---", "--:"]),
    ...rows,
  ].join("\n");
}

function listsOf({ run, comparison, cases, unread }: EvalDocument): (string | null)[] {
  if (comparison === null) {
    const { failed, errored } = run.summary;
    const bad = cases.filter(({ now }) => ["failed", "errored"].includes(now?.result.status ?? ""));
    return [
      listOf("Failed and errored", bad, unread > 0 ? Math.max(failed + errored, bad.length) : bad.length),
    ];
  }
  const of = (change: DocumentCase["change"]) => cases.filter((one) => one.change === change);
  const { broken, errored, fixed } = comparison.summary;
  const names = of("fixed").slice(0, maxNames);
  return [
    listOf("Broken", of("broken"), broken),
    listOf("Errored", of("errored"), errored),
    fixed > 0
      ? `**Fixed: ${whole(fixed)}** ${names.map(({ caseKey }) => code(caseKey)).join(" ")}${rest(fixed - names.length)}`
      : null,
  ];
}

function listOf(title: string, cases: readonly DocumentCase[], count: number): string | null {
  if (count === 0) return null;
  const shown = cases.slice(0, maxCases);
  const lines = shown.map(({ caseKey, now }) => {
    const reason = now && reasonOf(now.result);
    return `- ${code(caseKey)}${reason ? `: ${code(reason, maxReason)}` : ""}`;
  });
  return [`**${title}: ${whole(count)}**`, "", ...lines, rest(count - shown.length)]
    .filter((line, at) => at < 2 || line !== "")
    .join("\n");
}

const rest = (count: number) => (count > 0 ? `\nand ${whole(count)} more` : "");

const methodOf = ({ sentences, sources }: { sentences: string[]; sources: string[] }) =>
  [
    "<details><summary>How it was compared</summary>\n",
    ...sentences.slice(1).map((sentence) => `- ${prose(sentence)}`),
    ...(sources.length > 0 ? ["\nSources of the methods:\n"] : []),
    ...sources.map((source) => `- ${prose(source)}`),
    "\n</details>",
  ].join("\n");
