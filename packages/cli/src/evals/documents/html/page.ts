import { createHash } from "node:crypto";
import type { Run } from "@promptreg/core";
import type { EvalDocument } from "../document.ts";
import { figuresOf, metricsOf } from "../figures.ts";
import { headlineOf } from "../verdict.ts";
import { changeWords } from "../words.ts";
import { casesOf } from "./cases.ts";
import { chartOf } from "./chart.ts";
import { histogramOf } from "./histogram.ts";
import { Html, html } from "./html.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
/** Nothing but our own style and script: the page loads nothing and sends nothing. */
const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; img-src data:; base-uri 'none'; form-action 'none'`;

/** A run as a page in one file of at most 5 MB, which needs no network and, but for sorting and filtering, no script. */
export function htmlOf(document: EvalDocument): string {
  const { run, comparison } = document;
  const { tone, verdicts } = headlineOf(document);
  const words = verdicts.map(({ word }) => word);
  const charts = [
    { title: "Versions", figure: chartOf(document) },
    { title: "Scores", figure: histogramOf(document) },
  ].filter(({ figure }) => figure !== null);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${run.prompt.ref}@${run.versionNumber}: ${words.join(", ")}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<header><p class="brand">Promptreg <span>eval report</span></p>
<h1>${run.prompt.ref}<span>@${run.versionNumber}</span></h1>
${aboutOf(run, comparison?.before ?? null)}</header>
<main>
<section class="verdict ${tone}"><h2>${verdicts.map((one, at) => html`<span${at > 0 && html` class="second ${one.tone}"`}>${one.word}</span>`)}</h2>
${verdicts.map(({ sentence }, at) => html`<p${at === 0 && html` class="lead"`}>${sentence}</p>`)}
${run.error !== null && html`<p class="error"><bdi>${run.error}</bdi></p>`}
${
  comparison &&
  html`<ul class="counts">${Object.entries(changeWords).map(([change, word]) => {
    const count = comparison.summary[change as keyof typeof changeWords];
    return count > 0 && html`<li class="change ${change}"><b>${count}</b> ${word.toLowerCase()}</li>`;
  })}</ul>`
}</section>
<div class="columns"><section><h2>Figures</h2>
${tableOf(document)}</section>
${charts.length > 0 && html`<div>${charts.map(({ title, figure }) => html`<section><h2>${title}</h2>${figure}</section>`)}</div>`}</div>
${comparison && methodOf(comparison.verdict)}
${casesOf(document)}
</main>
<script>${new Html(script)}</script>
</body>
</html>
`.text;
}

/** What was run, on what, and where. */
function aboutOf(run: Run, before: Run | null): Html {
  const { model, dataset, id, source, finishedAt, createdAt } = run;
  const rows: [string, Html | string | null | undefined][] = [
    ["Model", html`<bdi>${model}</bdi>`],
    [
      "Dataset",
      dataset &&
        html`<bdi>${dataset.name}</bdi>${dataset.revision !== null && html`, revision ${dataset.revision}`}`,
    ],
    [
      "Compared with",
      before &&
        `version ${before.versionNumber}${before.versionNumber === run.versionNumber ? " (an earlier run)" : ""}`,
    ],
    ["Run", html`<code>${id}</code>`],
    ["Date", `${(finishedAt ?? createdAt).slice(0, 16).replace("T", " ")} UTC`],
    [
      "Commit",
      source?.commit &&
        html`<code>${source.commit.slice(0, 12)}</code>${source.branch && html` on <bdi>${source.branch}</bdi>`}`,
    ],
    [
      "Reported by",
      source?.url &&
        /^https?:\/\//.test(source.url) &&
        html`<a href="${source.url}" rel="noreferrer noopener">${source.url}</a>`,
    ],
  ].filter((row): row is [string, Html | string] => Boolean(row[1]));
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The totals, and below them the scores of assertions. */
function tableOf(document: EvalDocument): Html {
  const { comparison } = document;
  const row = ({ name, before, now, change, tone }: ReturnType<typeof figuresOf>[number], p?: string) =>
    html`<tr><th scope="row"><bdi>${name}</bdi></th>${before !== null && html`<td>${before}</td>`}<td>${now}</td>${change !== null && html`<td${tone && html` class="${tone}"`}>${change}${tone && html`<span class="unseen"> (${tone === "good" ? "better" : "worse"})</span>`}${p !== undefined && html` <small>p ${p}</small>`}</td>`}</tr>
`;
  const metrics = metricsOf(document);
  return html`<table class="numbers"><caption class="unseen">All results of ${comparison ? "both runs" : "the run"}</caption>
<thead><tr><td></td>${comparison && html`<th scope="col">Before</th>`}<th scope="col">${comparison ? "Now" : "This run"}</th>${comparison && html`<th scope="col">Change</th>`}</tr></thead>
<tbody>${figuresOf(document).map((figure) => row(figure))}</tbody>
${metrics.length > 0 && html`<tbody><tr><th scope="rowgroup" colspan="4" class="group">Scores of assertions, which decide nothing</th></tr>${metrics.map(({ p, ...figure }) => row(figure, p))}</tbody>`}</table>`;
}

const methodOf = ({ sentences, sources }: { sentences: string[]; sources: string[] }): Html =>
  html`<section class="method"><h2>How it was compared</h2>
<ul>${sentences.slice(1).map((sentence) => html`<li>${sentence}</li>`)}</ul>
${sources.length > 0 && html`<details><summary>Sources of the methods</summary><ul>${sources.map((source) => html`<li>${source}</li>`)}</ul></details>`}</section>`;
