import type { JsonSchema, OpenapiDocument } from "../kernel/openapi/shape.ts";
import { type Html, html, inline } from "./html.ts";
import { type Entry, renderEvent, renderOperation } from "./operation.ts";
import { describeType, fieldsOf, hrefOfSchema, renderFields, schemaPages, schemaPath } from "./schema.ts";

/** What has a page of its own: a group of operations, the events, the schemas. */
export interface Section {
  title: string;
  path: string;
  lead: string;
  items: readonly Item[];
  render: () => Html;
}

/** What is described on a page, under an anchor. */
export interface Item {
  anchor: string;
  name: string;
  summary?: string;
  /** Of an operation. */
  method?: string;
  route?: string;
}

/** The sections of the reference of an OpenAPI document, in their order. */
export function sectionsOf(document: OpenapiDocument): Section[] {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]): Entry => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return [
    ...groups.filter((group) => group.entries.length > 0).map((group) => operationsOf(group, document)),
    eventsOf(document),
    ...schemasOf(document),
  ];
}

function operationsOf(
  { name, description, entries }: { name: string; description: string; entries: readonly Entry[] },
  document: OpenapiDocument,
): Section {
  const links = new Map(
    Object.keys(document.webhooks).map((event) => [event, `/reference/events#event.${event}`]),
  );
  return {
    title: name,
    path: `/reference/${name.toLowerCase().replaceAll(" ", "-")}`,
    lead: description,
    items: entries.map(({ method, path, operation: { operationId, summary } }) => ({
      anchor: operationId,
      name: operationId,
      summary,
      method,
      route: path,
    })),
    render: () => html`${entries.map((entry) => renderOperation(entry, document, links))}`,
  };
}

function eventsOf(document: OpenapiDocument): Section {
  const events = Object.entries(document.webhooks).flatMap(([name, { post }]) =>
    post ? [{ name, post }] : [],
  );
  const headers = (events[0]?.post.parameters ?? []).flatMap((parameter) =>
    "$ref" in parameter
      ? []
      : [{ ...parameter, schema: { type: "string" }, isRequired: true, description: parameter.description }],
  );
  return {
    title: "Events",
    path: "/reference/events",
    lead: document.tags.find(({ name }) => name === "Events")?.description ?? "",
    items: events.map(({ name, post: { summary } }) => ({ anchor: `event.${name}`, name, summary })),
    render: () => html`<section><h2>Headers of a delivery</h2>${renderFields(headers)}</section>
${events.map(({ name, post }) => renderEvent(name, post, document))}`,
  };
}

const schemasOf = ({ components }: OpenapiDocument): Section[] =>
  Object.entries(schemaPages).map(([letters, begins]) => {
    const schemas = Object.entries(components.schemas).filter(
      ([name]) => begins.test(name) && !name.endsWith("Event"),
    );
    return schemaSection(letters, schemas);
  });

function schemaSection(letters: string, schemas: [string, JsonSchema][]): Section {
  return {
    title: `Schemas ${letters}`,
    path: schemaPath(letters),
    lead: "What the bodies of requests and answers consist of.",
    items: schemas.map(([name]) => ({ anchor: `schema-${name}`, name })),
    render: () =>
      html`${schemas.map(
        ([
          name,
          schema,
        ]) => html`<article id="schema-${name}" class="schema"><header><h2><a href="${hrefOfSchema(name)}">${name}</a></h2></header>
<div class="prose">${schema.description !== undefined && html`<p class="lead">${inline(schema.description)}</p>`}
${schema.properties ? renderFields(fieldsOf(schema)) : html`<p class="type">${describeType(schema)}</p>`}</div></article>
`,
      )}`,
  };
}
