/** What this page has beside the style of the reference. */
export const style = `
body { grid-template-columns: 15rem minmax(0, 1fr); }
nav li a { padding: .2rem 0; }
nav h2:first-of-type { margin-top: 1.6rem; }
main { max-width: 63rem; }
main > section > p, main > section > ol, main > section > ul { max-width: 46rem; }
main h2 { margin-top: 3.5rem; line-height: 1.25; }
main h2 a { color: var(--ink); }
main li { margin: .3rem 0; }
main table { margin: .8rem 0; }
main pre { margin: .9rem 0; }
pre.wraps { white-space: pre-wrap; overflow-wrap: anywhere; }
table.schedule { width: auto; }
.schedule :is(th, td) { width: auto; padding-right: 2rem; font-variant-numeric: tabular-nums; }
.schedule thead th, .causes thead th { color: var(--soft); font-size: .8rem; font-weight: 400; border-top: 0; }
.causes th { width: 15rem; }
.note { padding: .8rem 1rem; border-left: 3px solid var(--link); background: var(--raised); border-radius: 0 8px 8px 0; }
.tabs { position: relative; display: flex; flex-wrap: wrap; gap: 0 .25rem; margin: .9rem 0; }
.tabs > input { position: absolute; opacity: 0; pointer-events: none; }
.tabs > label { padding: .3rem .8rem; border: 1px solid transparent; border-radius: 8px 8px 0 0; font-size: .86rem; color: var(--soft); cursor: pointer; }
.tabs > input:checked + label { color: var(--ink); background: var(--raised); border-color: var(--line) var(--line) transparent; font-weight: 600; }
.tabs > input:focus-visible + label { outline: 2px solid var(--link); }
.tabs > pre { order: 1; width: 100%; margin: -1px 0 0; border-top-left-radius: 0; display: none; }
.tabs > input:checked + label + pre { display: block; }
main details { padding: .55rem 0; margin: 0; }
main details:last-of-type { border-bottom: 1px solid var(--line); }
main summary code { font-weight: 600; margin-right: .5rem; }
@media (max-width: 60rem) {
  body { grid-template-columns: none; }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; }
  nav h2:first-of-type { margin-top: .6rem; }
  h1 { font-size: 1.8rem; }
  table.schedule { width: 100%; }
  .schedule :is(th, td) { padding-right: .75rem; }
  .causes thead { display: none; }
  .causes :is(th, td) { display: block; width: auto; padding: .45rem 0 0; }
  .causes td { padding: 0 0 .45rem; border: 0; }
  .tabs { gap: 0; }
  .tabs > label { padding: .3rem .6rem; }
}
@media print {
  .tabs > label { display: none; }
  .tabs > pre { display: block; border-radius: 8px; margin: .5rem 0; }
}
`;
