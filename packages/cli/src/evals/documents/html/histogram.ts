import type { DocumentSide, EvalDocument } from "../document.ts";
import { whole } from "../figures.ts";
import { type Html, html } from "./html.ts";

const height = 140;
const bins = 10;

/** How many cases have which score, in tenths. Needs all cases: the worst alone would say something else. */
export function histogramOf({ comparison, cases, unread }: EvalDocument): Html | null {
  const [before, now] = [countsOf(cases.map(({ before }) => before)), countsOf(cases.map(({ now }) => now))];
  const most = Math.max(...before, ...now);
  if (most === 0) return null;
  if (unread > 0) {
    return html`<p class="soft">The distribution of scores is left out: not all cases were read, and the worst alone would mislead.</p>`;
  }
  const [isCompared, sum] = [
    comparison !== null,
    (counts: number[]) => counts.reduce((all, one) => all + one),
  ];
  const upper = (counts: number[]) => sum(counts.slice(5));
  const said = `Cases with a score of 0.5 or above: ${isCompared ? `${whole(upper(before))} of ${whole(sum(before))} before, ` : ""}${whole(upper(now))} of ${whole(sum(now))} now.`;
  const bar = (name: "before" | "now", count: number, at: number) => {
    const tall = count === 0 ? 0 : Math.max(((height - 24) * count) / most, 2);
    const left = at * 10 + (name === "before" ? 1 : isCompared ? 5.2 : 1);
    return html`<rect class="${name}" x="${left}%" y="${Number((height - tall).toFixed(1))}" width="${isCompared ? 3.8 : 8}%" height="${Number(tall.toFixed(1))}" rx="2"><title>${name}: ${whole(count)} cases with a score ${nameOf(at)}</title></rect>`;
  };
  return html`<figure>
<figcaption>${said}</figcaption>
${isCompared && html`<p class="legend"><span class="key before"></span> before <span class="key now block"></span> now</p>`}
<div class="plot"><svg width="100%" height="${height + 28}" role="img" aria-label="${said}">
<line class="grid" x1="0" x2="100%" y1="24" y2="24"/><text class="tick" x="0" dx="-8" y="28" text-anchor="end">${whole(most)}</text>
${now.map((count, at) => [isCompared && bar("before", before[at] ?? 0, at), bar("now", count, at)])}
<line class="base" x1="0" x2="100%" y1="${height}" y2="${height}"/><text class="tick" x="0" dx="-8" y="${height + 4}" text-anchor="end">0</text>
${[0, 0.2, 0.4, 0.6, 0.8, 1].map((score) => html`<text class="tick" x="${Math.round(score * 100)}%" y="${height + 20}" text-anchor="middle">${score}</text>`)}
</svg></div>
<details><summary>As a table</summary>
<table class="numbers"><caption class="unseen">Cases by score</caption><thead><tr><th scope="col">Score</th>${isCompared && html`<th scope="col">Before</th>`}<th scope="col">Now</th></tr></thead><tbody>
${now.map(
  (
    count,
    at,
  ) => html`<tr><th scope="row">${nameOf(at)}</th>${isCompared && html`<td>${whole(before[at] ?? 0)}</td>`}<td>${whole(count)}</td></tr>
`,
)}</tbody></table></details>
</figure>`;
}

const nameOf = (at: number) => `${at / 10} to ${at === bins - 1 ? "1" : `below ${(at + 1) / 10}`}`;

function countsOf(sides: readonly (DocumentSide | null)[]): number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const side of sides) {
    if (side === null || side.score === null) continue;
    const at = Math.min(Math.floor(side.score * bins + 1e-9), bins - 1);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
