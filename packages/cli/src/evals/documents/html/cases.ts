import type { DocumentCase, DocumentSide, EvalDocument } from "../document.ts";
import { decimal, percent, whole } from "../figures.ts";
import { changeWords, orderOf, statusWords } from "../words.ts";
import { detailOf } from "./detail.ts";
import { type Html, html } from "./html.ts";

/** Of the page, in bytes. What the lines of all cases do not need is for outputs, of the worst first. */
const maxBytes = 4_700_000;
const lineBytes = 400;
const minDetails = 1_000_000;

/** The table of all cases, as far as the page has room for them. */
export function casesOf(document: EvalDocument): Html {
  const { run, comparison, cases, unread, areCasesVisible } = document;
  const isCompared = comparison !== null;
  if (!areCasesVisible) {
    return html`<section><h2>Cases</h2><p>The cases are left out. The owner of the prompt can read them, with a token that has the scope <code>read</code>; everybody can if the dataset is public.</p></section>`;
  }
  const { rows, shown, bare } = rowsOf(cases, isCompared);
  const left = cases.length - shown + unread;
  const more = comparison
    ? `promptreg eval compare ${comparison.before.id} ${run.id}`
    : `promptreg eval show ${run.id} --results`;
  return html`<section id="cases"><h2>Cases</h2>
${left > 0 && html`<p class="notice">This page has room for ${whole(shown)} ${shown === 1 ? "case" : "cases"}, the worst first. ${whole(left)} ${isCompared || unread === 0 ? "more are" : "more results are"} left out: see <code>${more}</code>.</p>`}
${bare > 0 && html`<p class="notice">For ${whole(bare)} ${bare === 1 ? "case" : "cases"} the outputs are left out.</p>`}
${shown > 0 && controlsOf(cases.slice(0, shown))}
${shown === 0 && html`<p>There are none.</p>`}
${
  shown > 0 &&
  html`<table class="cases"><caption class="unseen">Cases, the worst first. Open a case to see its outputs.</caption>
<thead><tr><th scope="col" data-sort="key">Case</th>${isCompared && html`<th scope="col" data-sort="order" aria-sort="ascending">Change</th><th scope="col" data-sort="before">Before</th>`}<th scope="col" data-sort="now"${!isCompared && html` aria-sort="ascending"`}>${isCompared ? "Now" : "Result"}</th></tr></thead>
${rows}</table>`
}
</section>`;
}

function rowsOf(cases: readonly DocumentCase[], isCompared: boolean) {
  const rows: Html[] = [];
  const maxDetailed = Math.max(maxBytes - lineBytes * cases.length, minDetails);
  let [bytes, bare] = [0, 0];
  for (const one of cases) {
    let detail = bytes < maxDetailed ? detailOf(one, isCompared) : null;
    let row = rowOf(one, detail, { isCompared, isOpen: rows.length === 0 && one.change === "broken" });
    if (detail !== null && bytes + sizeOf(row) > maxBytes) {
      detail = null;
      row = rowOf(one, detail, { isCompared, isOpen: false });
    }
    bytes += sizeOf(row);
    if (bytes > maxBytes) break;
    rows.push(row);
    if (detail === null && hasOutput(one)) bare++;
  }
  return { rows, shown: rows.length, bare };
}

const sizeOf = ({ text }: Html) => Buffer.byteLength(text);
const hasOutput = ({ before, now }: DocumentCase) =>
  [before, now].some((side) => (side?.result.output ?? null) !== null);

/**
 * A case is a line, and below it what there is to see of it. The line has an empty `details`, so that it opens without a
 * script: the style shows the rest when it is open.
 */
function rowOf(
  one: DocumentCase,
  detail: Html | null,
  { isCompared, isOpen }: { isCompared: boolean; isOpen: boolean },
): Html {
  const { caseKey, change, before, now } = one;
  const name = html`<bdi>${caseKey}</bdi>`;
  const kinds = kindsOf(one);
  return html`<tbody data-order="${orderOf(one)}"${isCompared && html` data-before="${rankOf(before)}"`} data-now="${rankOf(now)}" data-kinds="${kinds.join(" ")}"><tr><th scope="row">${detail === null ? name : html`<details${isOpen && html` open`}><summary>${name}</summary></details>`}</th>${change !== null && html`<td><span class="change ${change}">${changeWords[change]}</span></td><td>${cellOf(before)}</td>`}<td>${cellOf(now)}</td></tr>${detail !== null && html`<tr class="more"><td colspan="${isCompared ? 4 : 2}">${detail}</td></tr>`}</tbody>
`;
}

/** By what a case is found with the buttons. */
function kindsOf({ change, now }: DocumentCase): string[] {
  const status = now?.result.status;
  return [...new Set([change, status].filter((kind) => typeof kind === "string"))];
}

/** Sorts by the share of passes, then by the score. What has neither comes first: it is worse than a failure. */
const rankOf = (side: DocumentSide | null) =>
  side === null || side.passRate === null
    ? -1
    : Number((side.passRate + (side.score ?? 0) / 1000).toFixed(6));

function cellOf(side: DocumentSide | null): Html {
  if (side === null) return html`<span class="soft">–</span>`;
  const { attempts, passRate, score, result } = side;
  const isMixed = attempts > 1 && passRate !== null && passRate > 0 && passRate < 1;
  const word = isMixed ? `${percent(passRate)} of ${attempts}` : statusWords[result.status];
  return html`<span class="${isMixed ? "failed" : result.status}">${word}</span>${score !== null && html` <small>${decimal(score)}</small>`}`;
}

const filters = {
  broken: "Broken",
  errored: "Errored",
  failed: "Failed",
  fixed: "Fixed",
  onlyA: changeWords.onlyA,
  onlyB: changeWords.onlyB,
  passed: "Passed",
  skipped: "Skipped",
} as const;

/** They need the script, which shows them. */
function controlsOf(cases: readonly DocumentCase[]): Html {
  const counts = new Map<string, number>();
  for (const kind of cases.flatMap(kindsOf)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const button = (kind: string, word: string, count: number) =>
    html`<button type="button" data-kind="${kind}" aria-pressed="${kind === "" ? "true" : "false"}">${word} <b>${whole(count)}</b></button>
`;
  return html`<div class="controls" hidden><div role="group" aria-label="Show cases">
${button("", "All", cases.length)}${Object.entries(filters).map(([kind, word]) => {
  const count = counts.get(kind);
  return count !== undefined && button(kind, word, count);
})}</div><input type="search" placeholder="Find in cases and outputs" aria-label="Find in cases and outputs"></div>
<p role="status" class="soft found" hidden></p>`;
}
