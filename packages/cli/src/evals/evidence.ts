import { UsageError } from "../errors.ts";
import type { Style } from "../terminal/style.ts";
import { printTable } from "../terminal/table.ts";
import { cell } from "../terminal/text.ts";
import type { Evidences } from "./gate.ts";
import { percent } from "./words.ts";

/** Draws which runs speak for a version, and what they say. */
export function drawEvidence(
  { dataset, threshold, items }: Evidences,
  width: number,
  { colors }: Style,
): string {
  const { bold, dim, green, red } = colors;
  const headings = ["model", "passed", "needed", "verdict", "run", "compared with"].map((heading) =>
    dim(heading),
  );
  const rows = items.map(({ model, run, before, failures }) => [
    (failures.length === 0 ? green : red)(cell(model)),
    percent(run?.summary.passRate ?? null),
    percent(threshold ?? run?.threshold ?? null),
    run?.verdict ?? "none",
    run?.id ?? "none",
    before?.runId ?? "none",
  ]);
  const comparisons = items.flatMap(({ model, comparison }) =>
    comparison === null ? [] : [`${cell(model)}: ${cell(comparison)}`],
  );
  const indent = "  ";
  const table = printTable([headings, ...rows], width - indent.length);
  return [
    bold(`evals on dataset ${cell(dataset.name)}, revision ${dataset.revision}`),
    ...[...table.split("\n"), ...comparisons].map((line) => indent + line),
  ].join("\n");
}

/** The longest reason that the registry takes. */
const maxReason = 280;

/** Adds the runs to the reason of a move: as many as its length allows, and how many there are beside them. */
export function withEvidence(reason: string | undefined, { dataset, items }: Evidences): string {
  const runs = items.flatMap(({ run }) => (run === null ? [] : [run.id]));
  for (let count = runs.length; count > 0; count -= 1) {
    const left = runs.length - count;
    const more = left === 0 ? "" : ` and ${left} more`;
    const evals = `evals on revision ${dataset.revision}: ${runs.slice(0, count).join(", ")}${more}`;
    const whole = reason === undefined ? evals : `${reason} (${evals})`;
    if (whole.length <= maxReason) return whole;
  }
  throw new UsageError(
    `--reason must leave room for the id of a run: write ${maxReason - 80} characters at most.`,
  );
}
