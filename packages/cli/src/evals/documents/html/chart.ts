import type { VersionScore } from "@promptreg/core";
import type { EvalDocument } from "../document.ts";
import { decimal, percent } from "../figures.ts";
import { Html, html } from "./html.ts";

const height = 190;
/** Above the highest line there is room for a number. */
const top = 24;
const maxLabels = 6;

/** How the versions did, as a line each for pass rate and score. Needs two versions. */
export function chartOf({ run, comparison, scores }: EvalDocument): Html | null {
  const rated = scores.filter(({ passRate }) => passRate !== null);
  const [first, last] = [rated[0], rated.at(-1)];
  if (rated.length < 2 || first === undefined || last === undefined) return null;
  const scored = rated.filter(({ score }) => score !== null);
  const hasScore = scored.length > 1 && scored.some(({ score, passRate }) => score !== passRate);
  const scale = scaleOf([
    ...rated.map(({ passRate }) => passRate ?? 0),
    ...(hasScore ? scored.map(({ score }) => score ?? 0) : []),
    run.threshold,
  ]);
  const place = (at: number, value: number) => ({ x: (100 * at) / (rated.length - 1), y: scale.y(value) });
  const valuesOf = (of: (one: VersionScore) => number | null) =>
    rated.flatMap((one, at) => {
      const value = of(one);
      return value === null ? [] : [{ ...place(at, value), value, one }];
    });
  const rates = valuesOf(({ passRate }) => passRate);
  const said = `Pass rate of ${rated.length} versions: ${percent(first.passRate ?? 0)} in version ${first.versionNumber}, ${percent(last.passRate ?? 0)} in version ${last.versionNumber}.`;
  return html`<figure>
<figcaption>${said}</figcaption>
<p class="legend"><span class="key now"></span> pass rate${hasScore && html` <span class="key score"></span> score`} <span class="key needed"></span> needed: ${percent(run.threshold)}</p>
<div class="plot"><svg width="100%" height="${height + 28}" role="img" aria-label="${said}">
${scale.ticks.map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${scale.y(tick)}" y2="${scale.y(tick)}"/><text class="tick" x="0" dx="-8" y="${scale.y(tick) + 4}" text-anchor="end">${percent(tick)}</text>`)}
<line class="needed" x1="0" x2="100%" y1="${scale.y(run.threshold)}" y2="${scale.y(run.threshold)}"/>
${
  hasScore &&
  lineOf(
    valuesOf(({ score }) => score),
    "score",
  )
}
${lineOf(rates, "now")}
${rates.map(({ x, y, value, one }, at) => {
  const isNow = one.versionNumber === run.versionNumber;
  const isBefore = one.versionNumber === comparison?.before.versionNumber;
  return html`<circle class="${isNow ? "now this" : isBefore ? "now that" : "now"}" cx="${round(x)}%" cy="${y}" r="${isNow || isBefore ? 5 : rated.length > 40 ? 1.5 : 3}"><title>version ${one.versionNumber}: ${percent(value)}</title></circle>${(isNow || isBefore) && html`<text class="value" x="${round(x)}%" y="${y + (isFall(rates, at) ? 20 : -11)}" text-anchor="${at === 0 ? "start" : at === rates.length - 1 ? "end" : "middle"}">${percent(value)}</text>`}`;
})}
${labelled(rated).map((at) => html`<text class="tick" x="${round(place(at, 0).x)}%" y="${height + 22}" text-anchor="middle">v${rated[at]?.versionNumber}</text>`)}
</svg></div>
${tableOf(rated, hasScore)}
</figure>`;
}

/** A line that comes from above would cross a number above its end. */
const isFall = (points: readonly { value: number }[], at: number) =>
  (points[at - 1]?.value ?? 0) > (points[at]?.value ?? 0);

const round = (x: number) => Number(x.toFixed(2));

/** Percentages keep the text as large as it is, whatever the width. */
const lineOf = (points: readonly { x: number; y: number }[], name: string): Html[] =>
  points.slice(1).map(({ x, y }, at) => {
    const from = points[at] ?? { x, y };
    return html`<line class="${name}" x1="${round(from.x)}%" y1="${from.y}" x2="${round(x)}%" y2="${y}"/>`;
  });

/** The range around the values, in steps of a tenth or of a twentieth. */
function scaleOf(values: readonly number[]) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = high - low > 0.5 ? 0.25 : high - low > 0.2 ? 0.1 : 0.05;
  const from = Math.max(Math.floor((low - 0.02) / step) * step, 0);
  const to = Math.min(Math.ceil((high + 0.01) / step) * step, 1);
  const count = Math.round((to - from) / step);
  return {
    ticks: Array.from({ length: count + 1 }, (_, at) => Math.min(from + at * step, 1)),
    y: (value: number) => Number((top + (height - top) * (1 - (value - from) / (to - from))).toFixed(1)),
  };
}

/** The versions that are named below the chart: the first, the last, and some between. */
function labelled(rated: readonly VersionScore[]): number[] {
  const last = rated.length - 1;
  const count = Math.min(rated.length, maxLabels);
  return Array.from({ length: count }, (_, at) => Math.round((at * last) / (count - 1)));
}

const tableOf = (
  rated: readonly VersionScore[],
  hasScore: boolean,
): Html => html`<details><summary>As a table</summary>
<table class="numbers"><caption class="unseen">Pass rate by version</caption><thead><tr><th scope="col">Version</th><th scope="col">Pass rate</th>${hasScore && html`<th scope="col">Score</th>`}<th scope="col">Date</th></tr></thead><tbody>
${rated.map(
  ({
    versionNumber,
    passRate,
    score,
    finishedAt,
  }) => html`<tr><th scope="row">${versionNumber}</th><td>${percent(passRate ?? 0)}</td>${hasScore && html`<td>${score === null ? "none" : decimal(score)}</td>`}<td>${finishedAt.slice(0, 10)}</td></tr>
`,
)}</tbody></table></details>`;
