import type { DocumentCase, DocumentSide } from "../document.ts";
import { decimal, dollars, time, whole } from "../figures.ts";
import { maxOutput, startOf } from "../limits.ts";
import { type Html, html } from "./html.ts";
import { markChanges, type Piece } from "../../../terminal/marks.ts";

const maxAssertions = 20;
const maxReason = 600;

/** What a case shows when it is opened: its outputs side by side, and how they were judged. Null if there is nothing. */
export function detailOf({ before, now }: DocumentCase, isCompared: boolean): Html | null {
  if (![before, now].some((side) => side !== null && hasDetail(side))) return null;
  const [old, fresh] = [outputOf(before), outputOf(now)];
  const marks = old !== null && fresh !== null ? markChanges(old, fresh) : null;
  const side = (
    name: string,
    one: DocumentSide | null,
    text: string | null,
    pieces: Piece[] | undefined,
    tag: "del" | "ins",
  ) =>
    html`<div>${isCompared && html`<p class="side">${name}</p>`}${one === null ? html`<p class="soft">The run has no such case.</p>` : sideOf(one, text, pieces && marked(pieces, tag))}</div>`;
  return html`<div class="${isCompared ? "sides" : "sides single"}">${isCompared && side("Before", before, old, marks?.before, "del")}${side("Now", now, fresh, marks?.now, "ins")}</div>${old !== null && old === fresh && html`<p class="soft">${isSame(before, now) ? "The outputs are the same." : "The parts shown are the same. The outputs differ in what is left out."}</p>`}${old !== null && fresh !== null && marks === null && html`<p class="soft">The outputs have little in common, so no words are marked.</p>`}`;
}

/** Of long outputs only the beginnings are shown, and the registry keeps no more than 64 KiB. */
const isSame = (before: DocumentSide | null, now: DocumentSide | null): boolean =>
  before?.result.output === now?.result.output && before?.cut === 0 && now?.cut === 0;

const hasDetail = ({ result: { output, error, assertions } }: DocumentSide) =>
  output !== null || error !== null || assertions.length > 0;

const outputOf = (side: DocumentSide | null) =>
  side === null || side.result.output === null ? null : startOf(side.result.output, maxOutput);

const marked = (pieces: readonly Piece[], tag: "del" | "ins"): Html[] =>
  pieces.map(({ text, isChanged }) =>
    !isChanged ? html`${text}` : tag === "del" ? html`<del>${text}</del>` : html`<ins>${text}</ins>`,
  );

function sideOf(side: DocumentSide, text: string | null, pieces: Html[] | undefined): Html {
  const { result, cut, attempts } = side;
  const left = (result.output?.length ?? 0) - (text?.length ?? 0) + cut;
  const facts = [
    attempts > 1 && `the worst of ${attempts} attempts`,
    result.score !== null && `score ${decimal(result.score)}`,
    result.latencyMs !== null && time(result.latencyMs),
    result.inputTokens !== null && `${whole(result.inputTokens)} tokens in`,
    result.outputTokens !== null && `${whole(result.outputTokens)} tokens out`,
    result.costUsd !== null && dollars(result.costUsd),
  ].filter((fact) => typeof fact === "string");
  return html`${result.error !== null && html`<p class="error"><bdi>${shortened(result.error)}</bdi></p>`}${text !== null && text !== "" && html`<pre tabindex="0" dir="auto">\n${pieces ?? text}</pre>`}${text === "" && left === 0 && html`<p class="soft">The output is empty.</p>`}${left > 0 && html`<p class="soft">${whole(left)} ${text === "" ? "" : "more "}characters of the output are left out.</p>`}${result.outputTruncated && html`<p class="soft">The registry keeps the first 64 KiB of an output.</p>`}${assertionsOf(result.assertions)}${facts.length > 0 && html`<p class="soft">${facts.join(" · ")}</p>`}`;
}

function assertionsOf(assertions: DocumentSide["result"]["assertions"]): Html | null {
  if (assertions.length === 0) return null;
  // What failed is what the reader looks for.
  const sorted = assertions.toSorted((a, b) => Number(a.passed) - Number(b.passed));
  return html`<ul class="assertions">${sorted.slice(0, maxAssertions).map(({ type, passed, score, reason }) => html`<li><span class="${passed ? "passed" : "failed"}">${passed ? "passed" : "failed"}</span> <b><bdi>${type}</bdi></b>${score !== null && html` <small>${decimal(score)}</small>`}${reason !== null && reason !== "" && html`<br><bdi>${shortened(reason)}</bdi>`}</li>`)}${sorted.length > maxAssertions && html`<li class="soft">and ${sorted.length - maxAssertions} more</li>`}</ul>`;
}

const shortened = (text: string) => (text.length > maxReason ? `${startOf(text, maxReason)}…` : text);
