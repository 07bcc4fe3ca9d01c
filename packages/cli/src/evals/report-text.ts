import type { CaseComparison, Run, RunComparison } from "@promptreg/client";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { type Against, brokenKeys } from "./against.ts";
import { reasonOf } from "./documents/document.ts";
import type { Report } from "./results.ts";
import { passRateText } from "./words.ts";

const decimal = (value: number) => String(Number(value.toFixed(3)));

/** A report as people read it: the verdict, the figures, what failed, and what changed. */
export function reportText(run: Run, report: Report, against: Against | null, output: Output): string {
  const lines = [...figures(run, against, output), ...badCases(report, brokenKeys(against), output)];
  if (against !== null) lines.push("", ...changes(against, output));
  return lines.join("\n");
}

const outcomeWords = {
  regression: "regression",
  no_regression: "no regression",
  not_comparable: "not comparable",
  no_baseline: "not compared",
  first: "not compared",
};

function figures(run: Run, against: Against | null, { colors: { bold, green, red, dim } }: Output): string[] {
  const { id, prompt, versionNumber, model, verdict, summary } = run;
  const paint = verdict === "fail" || against?.outcome === "regression" ? red : green;
  const { passed, failed, errored, skipped } = summary;
  const words = [verdict ?? "no verdict: no results count", against && outcomeWords[against.outcome]];
  const rows = {
    "pass rate": passRateText(run),
    passed,
    failed,
    errored,
    skipped,
    run: cell(`${id} of ${prompt.ref}@${versionNumber}, ${model}`),
  };
  return [
    bold(paint(words.filter(Boolean).join(", "))),
    ...Object.entries(rows).map(([name, value]) => `${dim(name.padEnd(10))} ${value}`),
  ];
}

function badCases({ bad, badCount }: Report, broken: ReadonlySet<string>, output: Output): string[] {
  const lines = bad
    .filter(({ caseKey }) => !broken.has(caseKey))
    .map((result) => caseLine(result.status, result.caseKey, reasonOf(result), output));
  const left = badCount - lines.length - broken.size;
  return left > 0 ? [...lines, more(left, output)] : lines;
}

const more = (count: number, { colors: { dim } }: Output) => dim(`and ${count} more`);

const maxKey = 80;
/** The name of a case. One that is made of its input can be long; `eval show` and `eval compare` have all of it. */
const short = (caseKey: string) => {
  const letters = Array.from(cell(caseKey));
  return letters.length > maxKey ? `${letters.slice(0, maxKey - 1).join("")}…` : letters.join("");
};

function caseLine(
  word: string,
  caseKey: string,
  reason: string | null | undefined,
  { colors: { red, green, dim } }: Output,
): string {
  const why = reason ? dim(`  ${cell(reason).slice(0, 200)}`) : "";
  return `${(word === "fixed" ? green : red)(word.padEnd(10))} ${short(caseKey)}${why}`;
}

function changes({ outcome, notes, comparison, fixed }: Against, output: Output): string[] {
  const { bold, green, red, yellow } = output.colors;
  if (comparison === null) return [bold(yellow("not compared")), ...notes.map(cell)];
  const { a, verdict, summary, items, areItemsVisible } = comparison;
  const [headline = "", ...rest] = verdict?.sentences ?? [];
  const paint = { regression: red, no_regression: green }[outcome as string] ?? yellow;
  return [
    bold(paint(cell(headline))),
    `${output.colors.dim("before".padEnd(10))} ${cell(`${a.id} of ${a.prompt.ref}@${a.versionNumber}`)}`,
    ...[...notes, ...rest].map(cell),
    ...metrics(verdict),
    ...changedCases("broken", items, summary?.broken ?? 0, output),
    ...changedCases("fixed", fixed, summary?.fixed ?? 0, output),
    ...(areItemsVisible
      ? []
      : ["The cases are not shown: this token may not read the results of both runs."]),
  ];
}

function metrics(verdict: RunComparison["verdict"]): string[] {
  const rows = verdict?.metrics ?? [];
  return rows.map(({ name, a, b, change }) => {
    const step = `${change > 0 ? "+" : ""}${decimal(change)}`;
    return cell(`${name}: ${decimal(a)} before, ${decimal(b)} now (${step})`);
  });
}

function changedCases(
  word: "broken" | "fixed",
  cases: CaseComparison[],
  count: number,
  output: Output,
): string[] {
  const lines = cases.map(({ caseKey, b }) =>
    caseLine(word, caseKey, word === "broken" && b ? reasonOf(b.result) : undefined, output),
  );
  return lines.length > 0 && count > lines.length ? [...lines, more(count - lines.length, output)] : lines;
}
