/** The pages' whole style: no font and no picture is loaded. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfcf9, #16171b);
  --raised: light-dark(#f5f3ed, #1e2026);
  --ink: light-dark(#23211d, #e6e4df);
  --soft: light-dark(#6a655c, #a09c94);
  --line: light-dark(#e4e0d6, #31343c);
  --link: light-dark(#6b3fa0, #c4a3f5);
  --get: light-dark(#14713d, #6fd39b);
  --post: light-dark(#1b5fb0, #82b7f7);
  --put: light-dark(#94580a, #ecb665);
  --delete: light-dark(#b02a2a, #f58d8d);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; font: 16px/1.6 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", sans-serif; }
body { margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr); background: var(--paper); color: var(--ink); }
a { color: var(--link); text-decoration: none; }
a:hover, main p a, main ul:not(.index) a { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre, .type { font-family: var(--mono); font-size: .86em; }
p { margin: .5rem 0; }
[hidden] { display: none !important; }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem; background: var(--raised); border-right: 1px solid var(--line); font-size: .86rem; }
nav .brand { margin-bottom: 1rem; font-size: 1.15rem; font-weight: 650; color: var(--ink); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav > a { display: block; }
nav h2 { margin: 1.2rem 0 .25rem; font-size: .72rem; letter-spacing: .08em; text-transform: uppercase; }
nav h2 a { color: var(--soft); }
nav li a { display: block; padding: .12rem 0; color: var(--ink); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
nav li b { display: inline-block; width: 3.3rem; font: 600 .68rem var(--mono); }
nav section:not(.here) ul { display: none; }
nav .filtered section ul { display: block; }
nav summary { display: none; }
nav fieldset { display: flex; flex-wrap: wrap; gap: 0 .6rem; margin: .6rem 0 0; padding: 0; border: 0; }
nav legend { float: left; padding: 0; color: var(--soft); }
nav fieldset label { cursor: pointer; white-space: nowrap; }
nav input[type=radio] { accent-color: var(--link); margin: 0 .15rem 0 0; }
nav input[type=search] { width: 100%; margin-top: .6rem; padding: .4rem .6rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }

main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 92rem; }
h1 { font-size: 2.2rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .5rem; }
h1 span { color: var(--soft); font-weight: 400; }
main h2 { margin: 4rem 0 .25rem; font-size: 1.6rem; letter-spacing: -.01em; }
#start h2 { margin-top: 1.6rem; font-size: 1.05rem; letter-spacing: 0; }
h3 { margin: 1.6rem 0 .25rem; font-size: 1.05rem; }
article h3 { margin-bottom: .3rem; font-size: .95rem; }
h3 .type, h3 small { font-weight: 400; }
h3 small { float: right; color: var(--soft); font-size: .8rem; }
details h3 { margin-top: 1rem; font-size: .8rem; color: var(--soft); }
.lead { font-size: 1.08rem; }
main > section > p, #start p { max-width: 46rem; }
.index { list-style: none; margin: .8rem 0; padding: 0; }
.index li { display: flow-root; padding: .35rem 0 .35rem 22rem; border-top: 1px solid var(--line); }
.index li:target { background: var(--raised); }
.index a { float: left; width: 21rem; margin-left: -22rem; }
.index b { display: inline-block; width: 3.6rem; font: 600 .72rem var(--mono); }

article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 30rem); gap: 0 2.5rem; padding: 2rem 0; border-top: 1px solid var(--line); margin-top: 2rem; }
article > header { grid-column: 1 / -1; }
article h2 { margin: 0; font: 600 1.15rem var(--mono); }
article h2 a { color: var(--ink); }
article:target h2 a { color: var(--link); }
.route { margin: .2rem 0 .4rem; color: var(--soft); }
.route b { font: 700 .8rem var(--mono); }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }
article.schema { grid-template-columns: minmax(0, 46rem); padding: 1.2rem 0; margin-top: 0; }

table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th, td { padding: .45rem .75rem .45rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th { width: 11rem; font-weight: 500; overflow-wrap: anywhere; }
th i { display: block; font-size: .78rem; font-weight: 400; color: var(--soft); }
td p { margin: .1rem 0; }
td small { display: block; color: var(--soft); overflow-wrap: anywhere; }
.type { color: var(--soft); overflow-wrap: anywhere; }
td > table { margin-top: .5rem; border-left: 2px solid var(--line); }
td > table :is(th, td) { padding-left: .75rem; }
td > table th { width: 9rem; }
.errors td:nth-child(2) { width: 3rem; color: var(--soft); }
.errors th { width: 14rem; }
.form { margin: 1rem 0 .25rem; font-family: var(--mono); font-size: .86rem; }

details { margin-top: .5rem; }
main details { border-top: 1px solid var(--line); padding-top: .5rem; }
main .prose > details:first-of-type { margin-top: 1.6rem; }
summary { cursor: pointer; }
summary b { margin-right: .4rem; }

aside { position: sticky; top: 1.5rem; align-self: start; }
pre { margin: 0; padding: .9rem 1rem; overflow: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; font-size: .8rem; line-height: 1.5; tab-size: 2; }
pre code { font-size: inherit; }
pre.answer { max-height: 30rem; }
.caption { margin: .8rem 0 .3rem; color: var(--soft); font: 600 .78rem var(--mono); }
body:not(:has(#as-curl:checked)) .curl, body:not(:has(#as-cli:checked)) .cli, body:has(:is(#as-curl, #as-cli):checked) .sdk { display: none; }

@media (max-width: 75rem) {
  article { grid-template-columns: minmax(0, 1fr); }
  aside { position: static; margin-top: 1.5rem; }
}
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; padding: 1rem; border: 0; border-bottom: 1px solid var(--line); }
  nav summary { display: list-item; margin-top: .8rem; }
  main { padding-top: 1.5rem; }
  .index li { padding-left: 0; }
  .index a { float: none; display: block; width: auto; margin: 0; }
  th { width: 8.5rem; }
  td > table th { width: 7rem; }
}
@media print {
  nav { display: none; }
  body { display: block; background: none; }
  article { display: block; break-inside: auto; }
  article > header, h2, h3 { break-after: avoid; }
  aside { position: static; }
  pre, pre.answer { max-height: none; white-space: pre-wrap; }
  details::details-content { content-visibility: visible; height: auto; }
}
`;
