import { sample } from "../kernel/openapi/sample.ts";
import {
  type Answer,
  type Media,
  nameOf,
  type OpenapiDocument,
  type OperationObject,
  type Parameter,
  type Ref,
} from "../kernel/openapi/shape.ts";
import { type Html, html, inline } from "./html.ts";
import { describeType, fieldsOf, renderFields } from "./schema.ts";
import { snippetsOf } from "./snippets.ts";

/** An operation with its place in the document. */
export interface Entry {
  method: string;
  path: string;
  operation: OperationObject;
}

const isRef = (value: object): value is Ref => "$ref" in value;

/** The whole of one operation: what it does and takes on the left, how that looks on the right. */
export function renderOperation(
  entry: Entry,
  document: OpenapiDocument,
  links: ReadonlyMap<string, string>,
): Html {
  const { method, path, operation } = entry;
  const parameters = operation.parameters.map((parameter) =>
    isRef(parameter) ? (document.components.parameters[nameOf(parameter.$ref)] as Parameter) : parameter,
  );
  const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
  return html`<article id="${operation.operationId}">
<header><h2><a href="#${operation.operationId}">${operation.operationId}</a></h2>
<p class="route"><b class="${method.toLowerCase()}">${method}</b> <code>${breakable(path)}</code></p></header>
<div class="prose"><p class="lead">${inline(operation.summary)}</p>
${operation.description.split("\n\n").map((paragraph) => html`<p>${inline(paragraph, links)}</p>`)}
${renderParameters(parameters)}
${renderBody(operation, document)}
${answers.map(([status, answer]) => renderAnswer(status, answer as Answer, document))}
${renderErrors(operation, document)}</div>
<aside>${renderSnippets({ ...entry, parameters }, document)}${renderExample(operation, document)}</aside>
</article>
`;
}

/** A path that can break at its slashes. */
const breakable = (path: string) => path.split("/").map((part, i) => html`${i > 0 && html`/<wbr>`}${part}`);

function renderParameters(parameters: readonly Parameter[]): Html[] {
  const titles = { path: "Path", query: "Query", header: "Headers" } as const;
  return (["path", "query", "header"] as const).flatMap((place) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    const fields = here.map(({ name, schema, required = false, description }) => ({
      name,
      schema,
      isRequired: required,
      description,
    }));
    return fields.length > 0 ? [html`<h3>${titles[place]}</h3>${renderFields(fields)}`] : [];
  });
}

function renderBody({ requestBody }: OperationObject, document: OpenapiDocument): Html[] {
  return Object.entries(requestBody?.content ?? {}).map(
    ([
      type,
      media,
    ]) => html`<h3>Body <span class="type">${renderMedium(type, media)}</span> <small>${requestBody?.description}</small></h3>
${renderShape(media, document)}`,
  );
}

/** JSON goes without saying: its type is its schema's. */
const renderMedium = (type: string, { schema }: Media, isLinked = true): Html =>
  type === "application/json" && schema ? describeType(schema, isLinked) : html`${type}`;

/** The fields of a body or an answer, of every form that it can have. */
function renderShape({ schema }: Media, { components }: OpenapiDocument): Html[] {
  const forms = schema?.anyOf ?? schema?.allOf ?? (schema ? [schema] : []);
  return forms.flatMap((form) => {
    const fields = fieldsOf(form.$ref === undefined ? form : (components.schemas[nameOf(form.$ref)] ?? {}));
    if (fields.length === 0) return [];
    return [
      html`${forms.length > 1 && html`<p class="form">${describeType(form)}</p>`}${renderFields(fields)}`,
    ];
  });
}

function renderAnswer(
  status: string,
  { description, content = {}, headers = {} }: Answer,
  document: OpenapiDocument,
) {
  const media = Object.entries(content);
  const fields = Object.keys(headers).map((name) => ({
    name,
    schema: document.components.headers[name]?.schema ?? {},
    isRequired: name === "X-Request-Id",
    description: document.components.headers[name]?.description,
  }));
  return html`<details><summary><b>${status}</b> ${inline(description)} <span class="type">${media.map(([type, medium]) => renderMedium(type, medium, false))}</span></summary>
${media.map(([type, medium]) => html`<p class="form">${renderMedium(type, medium)}</p>${renderShape(medium, document)}`)}
<h3>Headers</h3>${renderFields(fields)}</details>`;
}

/** The codes of a status with their sentences, as the example answers have them. */
function renderErrors({ responses }: OperationObject, { components }: OpenapiDocument): Html {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const rows = errors.flatMap(([status, answer]) => {
    const { content = {} } = isRef(answer) ? (components.responses[nameOf(answer.$ref)] ?? {}) : answer;
    return Object.keys(content["application/json"]?.examples ?? {}).map(
      (
        code,
      ) => html`<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${inline(components.examples[code]?.summary ?? "")}</td></tr>
`,
    );
  });
  return html`<details class="errors"><summary><b>Errors</b> ${errors.map(([status]) => status).join(" ")}</summary>
<table>${rows}</table></details>`;
}

function renderSnippets(call: Entry & { parameters: Parameter[] }, { servers }: OpenapiDocument): Html[] {
  const { sdk, curl, cli } = snippetsOf(call, servers[0]?.url ?? "");
  return Object.entries({ sdk, curl, cli }).map(
    ([name, code]) => html`<pre class="${name}" tabindex="0"><code>${code}</code></pre>`,
  );
}

/** What a JSON answer looks like. */
function renderExample({ responses }: OperationObject, { components }: OpenapiDocument): Html | undefined {
  const [status, answer] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const schema = answer && !isRef(answer) ? answer.content?.["application/json"]?.schema : undefined;
  if (schema === undefined) return undefined;
  const value = sample(schema, { components: components.schemas, isAnswer: true });
  return html`<p class="caption">${status}</p><pre class="answer" tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`;
}

/** An event: who hears of it, what its delivery holds, how that looks. */
export function renderEvent(name: string, operation: OperationObject, document: OpenapiDocument): Html {
  const media = operation.requestBody?.content["application/json"] ?? {};
  const data = document.components.schemas[nameOf(media.schema?.$ref ?? "")]?.properties?.["data"] ?? {};
  return html`<article id="event.${name}">
<header><h2><a href="#event.${name}">${name}</a></h2></header>
<div class="prose"><p class="lead">${inline(operation.summary)}</p><p>${inline(operation.description)}</p>
<h3>In <code>data</code></h3>${renderFields(fieldsOf(data))}</div>
<aside><pre class="answer" tabindex="0"><code>${JSON.stringify(media.example, null, 2)}</code></pre></aside>
</article>
`;
}
