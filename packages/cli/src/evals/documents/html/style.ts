/** The page's whole style: no font and no picture is loaded. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfcf9, #16171b);
  --raised: light-dark(#f5f3ed, #1e2026);
  --ink: light-dark(#23211d, #e6e4df);
  --soft: light-dark(#6a655c, #a09c94);
  --line: light-dark(#e4e0d6, #31343c);
  --link: light-dark(#6b3fa0, #c4a3f5);
  --good: light-dark(#14713d, #6fd39b);
  --bad: light-dark(#b02a2a, #f58d8d);
  --unsure: light-dark(#94580a, #ecb665);
  --good-wash: light-dark(#e6f2e9, #1b2d24);
  --bad-wash: light-dark(#fae9e6, #37211f);
  --unsure-wash: light-dark(#f8eedc, #322817);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", sans-serif; }
body { max-width: 76rem; margin: 0 auto; padding: 2rem clamp(1rem, 4vw, 3rem) 5rem; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
p { margin: .4rem 0; }
code, pre { font-family: var(--mono); font-size: .86em; }
small { color: var(--soft); font-size: .82em; font-variant-numeric: tabular-nums; }
.soft { color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.brand { margin: 0; font-weight: 650; font-size: .95rem; }
.brand span { color: var(--soft); font-weight: 400; }
h1 { margin: .9rem 0 .5rem; font-size: clamp(1.5rem, 5vw, 2.2rem); line-height: 1.2; letter-spacing: -.02em; }
h1 span { color: var(--soft); font-weight: 400; }
h2 { margin: 0 0 .6rem; font-size: 1.1rem; letter-spacing: -.01em; }
section { margin-top: 2.25rem; }
dl { display: flex; flex-wrap: wrap; gap: .35rem 1.75rem; margin: 0; font-size: .88rem; }
dl div { min-width: 0; }
dt { color: var(--soft); font-size: .78rem; }
dd { margin: 0; }

.verdict { --tone: var(--unsure); --wash: var(--unsure-wash); margin-top: 1.5rem; padding: 1.25rem 1.5rem 1.35rem; background: var(--wash); border-left: 4px solid var(--tone); border-radius: 0 10px 10px 0; }
.verdict.good { --tone: var(--good); --wash: var(--good-wash); }
.verdict.bad { --tone: var(--bad); --wash: var(--bad-wash); }
.verdict h2 { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem .9rem; margin: 0 0 .4rem; font-size: 1.6rem; line-height: 1.25; color: var(--tone); }
.verdict h2 .second { padding: .05rem .6rem; font-size: .85rem; letter-spacing: 0; border: 1px solid currentColor; border-radius: 99px; }
.lead { font-size: 1.05rem; }
.counts { display: flex; flex-wrap: wrap; gap: .4rem; margin: .9rem 0 0; padding: 0; list-style: none; font-size: .88rem; }

.change { display: inline-block; padding: .08rem .55rem; border-radius: 99px; background: color-mix(in srgb, var(--ink) 7%, transparent); white-space: nowrap; }
.counts .change { background: var(--paper); }
.change.broken, .change.errored { color: var(--bad); background: var(--bad-wash); font-weight: 600; }
.change.fixed { color: var(--good); background: var(--good-wash); font-weight: 600; }
.counts .change.broken, .counts .change.errored, .counts .change.fixed { background: var(--paper); }
.change b { font-variant-numeric: tabular-nums; }

.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr)); gap: 0 3.5rem; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th, td { padding: .42rem .75rem .42rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th { font-weight: 500; }
thead :is(th, td) { border-top: 0; color: var(--soft); font-size: .8rem; }
.numbers :is(td, thead th) { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.numbers :is(td, th):last-child { padding-right: 0; }
.numbers tbody th { min-width: 6.5rem; }
.numbers .group { padding-top: 1.2rem; color: var(--soft); font-size: .8rem; }
:is(td, .second).good { color: var(--good); }
:is(td, .second).bad { color: var(--bad); }
.second.unsure { color: var(--unsure); }

figure { margin: 0; }
figcaption { font-size: .92rem; }
.legend { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .45rem; margin: .2rem 0 .4rem; color: var(--soft); font-size: .8rem; }
.key { width: 1.1rem; margin-left: .5rem; border-top: 2.5px solid var(--link); }
.key:first-child { margin-left: 0; }
.key.score { border-top: 2px dashed var(--soft); }
.key.needed { border-top: 2px dotted var(--unsure); }
.key.block, .key.before { width: .75rem; height: .75rem; background: var(--link); border: 0; border-radius: 2px; }
.key.before { background: color-mix(in srgb, var(--soft) 30%, transparent); border: 1px solid var(--soft); }
.plot { padding: 0 1rem 0 3rem; }
svg { display: block; overflow: visible; }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
svg text.value { fill: var(--ink); font-weight: 600; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
line.grid { stroke: var(--line); }
line.base { stroke: var(--soft); }
line.now { stroke: var(--link); stroke-width: 2.5; stroke-linecap: round; }
line.score { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 4 4; }
line.needed { stroke: var(--unsure); stroke-width: 1.5; stroke-dasharray: 1.5 4; stroke-linecap: round; }
circle { fill: var(--link); }
circle.this, circle.that { stroke: var(--paper); stroke-width: 2; }
circle.that { fill: var(--paper); stroke: var(--link); }
rect.now { fill: var(--link); }
rect.before { fill: color-mix(in srgb, var(--soft) 30%, transparent); stroke: var(--soft); }

details:not(.cases details) { margin-top: .5rem; }
summary { cursor: pointer; }
figure summary, .method summary { color: var(--soft); font-size: .85rem; }
figure details > table, .method details > ul { margin-top: .5rem; }
.method ul { margin: 0; padding-left: 1.1rem; max-width: 60rem; font-size: .92rem; }
.method li { margin: .25rem 0; }

.notice { padding: .5rem .9rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; font-size: .92rem; }
.controls { display: flex; flex-wrap: wrap; gap: .6rem 1rem; margin: .75rem 0 0; }
.controls [role=group] { display: flex; flex-wrap: wrap; gap: .35rem; }
.controls button { padding: .3rem .75rem; font: inherit; font-size: .86rem; color: inherit; background: none; border: 1px solid var(--line); border-radius: 99px; cursor: pointer; }
.controls button b { font-weight: 400; color: var(--soft); font-variant-numeric: tabular-nums; }
.controls button:hover { border-color: var(--soft); }
.controls button[aria-pressed=true] { color: var(--paper); background: var(--ink); border-color: var(--ink); }
.controls button[aria-pressed=true] b { color: inherit; }
.controls input { flex: 1 1 14rem; max-width: 24rem; padding: .3rem .75rem; font: inherit; font-size: .9rem; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; }
.found { min-height: 1.4em; margin: .3rem 0 0; font-size: .85rem; }

.cases { table-layout: fixed; }
.cases th[data-sort] { width: 8.5rem; }
.cases th[data-sort=key] { width: auto; }
.cases thead button { padding: 0; font: inherit; color: inherit; background: none; border: 0; cursor: pointer; }
.cases thead button::after { content: " ↕"; content: " ↕" / ""; opacity: .45; }
.cases [aria-sort=ascending] button::after { content: " ↑"; content: " ↑" / ""; opacity: 1; }
.cases [aria-sort=descending] button::after { content: " ↓"; content: " ↓" / ""; opacity: 1; }
.cases tbody th { font-family: var(--mono); font-size: .86rem; }
.cases tbody:hover tr:first-child { background: var(--raised); }
.cases summary { position: relative; padding-left: 1.1rem; list-style: none; }
.cases summary::-webkit-details-marker { display: none; }
.cases summary::before { content: "▸"; content: "▸" / ""; position: absolute; left: 0; color: var(--soft); }
.cases [open] > summary::before { content: "▾"; content: "▾" / ""; }
.cases tbody th > bdi { display: block; padding-left: 1.1rem; }
.passed { color: var(--good); }
.failed, .errored { color: var(--bad); }
.skipped { color: var(--soft); }
.more { display: none; }
tbody:has(details[open]) .more { display: table-row; }
@supports not selector(:has(a)) { .more { display: table-row; } }
.more td { padding: .25rem 0 1.5rem; border: 0; }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .75rem 1.25rem; font-size: .88rem; }
.sides.single { grid-template-columns: minmax(0, 1fr); }
.side { margin: 0 0 .3rem; color: var(--soft); font-size: .8rem; }
.more pre { max-height: 24rem; margin: 0 0 .4rem; padding: .7rem .9rem; overflow: auto; white-space: pre-wrap; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; line-height: 1.5; tab-size: 2; }
del { color: var(--bad); background: var(--bad-wash); text-decoration-thickness: 1px; }
ins { color: var(--good); background: var(--good-wash); text-underline-offset: 2px; text-decoration-thickness: 1px; }
.error { padding: .5rem .75rem; color: var(--bad); background: var(--bad-wash); border-radius: 6px; font-size: .88rem; white-space: pre-wrap; }
.verdict .error { background: var(--paper); }
.assertions { margin: .5rem 0; padding: 0; list-style: none; }
.assertions li { margin: .2rem 0; }

@media (max-width: 46rem) {
  .sides { grid-template-columns: minmax(0, 1fr); }
  .verdict { padding: 1rem; }
  .numbers small { display: block; }
  .cases { font-size: .84rem; }
  .cases th[data-sort] { width: 4.2rem; }
  .cases th[data-sort=order] { width: 4.8rem; }
  .cases th[data-sort=key] { width: auto; }
  .cases :is(th, td) { padding-right: .5rem; }
  .cases td:last-child { padding-right: 0; }
  .cases .change { padding: 0; background: none; white-space: normal; }
  .cases small { display: block; }
}
@media print {
  body { max-width: none; padding: 0; background: none; font-size: 10pt; }
  .controls, .found, .cases thead button::after { display: none; }
  .more pre { max-height: none; }
  tr, figure, .verdict { break-inside: avoid; }
  .more { break-inside: auto; }
  h2 { break-after: avoid; }
}
`;
