import type { OpenapiDocument } from "../kernel/openapi/shape.ts";
import { type Html, html, inline, prose } from "./html.ts";
import { type Item, type Section, sectionsOf } from "./sections.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";
import { policyOf, wholePage } from "./whole.ts";

export const contentSecurityPolicy = policyOf({ style, script });

/**
 * The pages of the reference of an OpenAPI document, by path: an index, and a page for each group of operations, for the
 * events and for the schemas. Each is whole without its script.
 */
export function pagesOf(document: OpenapiDocument): Map<string, () => string> {
  const sections = sectionsOf(document);
  return new Map([
    ["/reference", () => renderIndex(document, sections)],
    ...sections.map((section): [string, () => string] => [
      section.path,
      () => renderSection(document, sections, section),
    ]),
  ]);
}

/** Every anchor of every page, so that the address `/reference#prompts.get` leads there for good. */
function renderIndex({ info, servers }: OpenapiDocument, sections: readonly Section[]): string {
  const { title, version, summary, description } = info;
  return wholePage(
    { title: `${title} API reference`, description: summary, style, script },
    html`${renderNavigation(title, sections)}
<main>
<section id="start"><h1>${title} <span>API v${version}</span></h1>
<p class="lead">${summary}</p>
<p><code>${servers[0]?.url}</code> · <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a></p>
${prose(description)}</section>
${sections.map(
  ({
    title: name,
    path,
    lead,
    items,
  }) => html`<section><h2><a href="${path}">${name}</a></h2><p class="lead">${inline(lead)}</p>
<ul class="index">${items.map(
    (item) => html`<li id="${item.anchor}">${linkTo(path, item)} ${inline(item.summary ?? "")}</li>
`,
  )}</ul></section>
`,
)}</main>`,
  );
}

function renderSection({ info }: OpenapiDocument, sections: readonly Section[], here: Section): string {
  return wholePage(
    { title: `${here.title} · ${info.title} API reference`, description: here.lead, style, script },
    html`${renderNavigation(info.title, sections, here)}
<main>
<section id="start"><h1>${here.title}</h1>
<p class="lead">${inline(here.lead)}</p></section>
${here.render()}
</main>`,
  );
}

/** The contents of this page, and of all pages for whoever filters them. */
const renderNavigation = (
  brand: string,
  sections: readonly Section[],
  here?: Section,
): Html => html`<nav aria-label="Operations">
<a class="brand" href="/">${brand}</a>
<a href="/reference">API reference</a>
${here?.items.some(({ method }) => method) && examples}
<input type="search" id="filter" placeholder="Filter  ( / )" aria-label="Filter operations" hidden>
<details id="contents" open><summary>Contents</summary>
${sections.map(
  (
    section,
  ) => html`<section${section === here && html` class="here"`}><h2><a href="${section.path}">${section.title}</a></h2><ul>
${section.items.map(
  (item) => html`<li data-words="${item.name} ${item.route}">${linkTo(section.path, item)}</li>
`,
)}</ul></section>
`,
)}</details></nav>`;

const examples = html`<fieldset><legend>Examples</legend>
<label><input type="radio" name="examples" id="as-sdk" checked> SDK</label>
<label><input type="radio" name="examples" id="as-curl"> curl</label>
<label><input type="radio" name="examples" id="as-cli"> CLI</label></fieldset>`;

const linkTo = (path: string, { anchor, name, method }: Item): Html =>
  html`<a href="${path}#${anchor}">${method !== undefined && html`<b class="${method.toLowerCase()}">${method === "DELETE" ? "DEL" : method}</b>`}${name}</a>`;
