import type { OpenapiDocument } from "../kernel/openapi/shape.ts";
import { type Html, html, inline, prose } from "./html.ts";
import { type Entry, renderEvent, renderOperation } from "./operation.ts";
import { describeType, fieldsOf, renderFields } from "./schema.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";
import { policyOf, wholePage } from "./whole.ts";

export const contentSecurityPolicy = policyOf({ style, script });

const anchor = (title: string) => `group-${title.toLowerCase().replaceAll(" ", "-")}`;

/** Renders the reference page of an OpenAPI document: one page, whole without its script. */
export function renderPage(document: OpenapiDocument): string {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]): Entry => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  const groups = document.tags
    .map((tag) => ({ ...tag, entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter((group) => group.entries.length > 0);
  const events = Object.keys(document.webhooks);
  const links = new Map(events.map((name) => [name, `#event.${name}`]));
  const { title, summary } = document.info;
  return wholePage(
    { title: `${title} API reference`, description: summary, style, script },
    html`${renderNavigation(document, groups, events)}
<main>
<section id="start"><h1>${title} <span>API v${document.info.version}</span></h1>
<p class="lead">${summary}</p>
<p><code>${document.servers[0]?.url}</code> · <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a></p>
${prose(document.info.description)}</section>
${groups.map(
  ({
    name,
    description,
    entries,
  }) => html`<section id="${anchor(name)}"><h2>${name}</h2><p class="lead">${inline(description)}</p>
${entries.map((entry) => renderOperation(entry, document, links))}</section>
`,
)}
${renderEvents(document)}
${renderSchemas(document)}
</main>`,
  );
}

function renderNavigation(
  { info }: OpenapiDocument,
  groups: readonly { name: string; entries: readonly Entry[] }[],
  events: readonly string[],
): Html {
  return html`<nav aria-label="Operations">
<a class="brand" href="#start">${info.title}</a>
<fieldset><legend>Examples</legend>
<label><input type="radio" name="examples" id="as-sdk" checked> SDK</label>
<label><input type="radio" name="examples" id="as-curl"> curl</label>
<label><input type="radio" name="examples" id="as-cli"> CLI</label></fieldset>
<input type="search" id="filter" placeholder="Filter  ( / )" aria-label="Filter operations" hidden>
<details id="contents" open><summary>Contents</summary>
${groups.map(
  ({ name, entries }) => html`<section><h2><a href="#${anchor(name)}">${name}</a></h2><ul>
${entries.map(
  ({ method, path, operation: { operationId } }) =>
    html`<li data-words="${operationId} ${path}"><a href="#${operationId}"><b class="${method.toLowerCase()}">${method === "DELETE" ? "DEL" : method}</b>${operationId}</a></li>
`,
)}</ul></section>
`,
)}
<section><h2><a href="#events">Events</a></h2><ul>${events.map(
    (name) => html`<li data-words="${name}"><a href="#event.${name}">${name}</a></li>
`,
  )}</ul></section>
<section><h2><a href="#schemas">Schemas</a></h2></section>
</details></nav>`;
}

function renderEvents(document: OpenapiDocument): Html {
  const [first] = Object.values(document.webhooks);
  const headers = (first?.post?.parameters ?? []).flatMap((parameter) =>
    "$ref" in parameter
      ? []
      : [{ ...parameter, schema: { type: "string" }, isRequired: true, description: parameter.description }],
  );
  return html`<section id="events"><h2>Events</h2>
<p class="lead">${inline(document.tags.find(({ name }) => name === "Events")?.description ?? "")}</p>
<h4>Headers of a delivery</h4>${renderFields(headers)}
${Object.entries(document.webhooks).map(([name, { post }]) => post && renderEvent(name, post, document))}</section>`;
}

function renderSchemas({ components }: OpenapiDocument): Html {
  const named = Object.entries(components.schemas).filter(([name]) => !name.endsWith("Event"));
  return html`<section id="schemas"><h2>Schemas</h2>
${named.map(
  ([
    name,
    schema,
  ]) => html`<article id="schema-${name}" class="schema"><header><h3><a href="#schema-${name}">${name}</a></h3></header>
<div class="prose">${schema.description !== undefined && html`<p class="lead">${inline(schema.description)}</p>`}
${schema.properties ? renderFields(fieldsOf(schema)) : html`<p class="type">${describeType(schema)}</p>`}</div></article>
`,
)}</section>`;
}
