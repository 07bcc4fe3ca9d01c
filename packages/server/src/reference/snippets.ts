import type { OperationObject, Parameter } from "../kernel/openapi/shape.ts";

export interface Call {
  method: string;
  /** As in the document: `/prompts/{owner}/{slug}`. */
  path: string;
  operation: OperationObject;
  parameters: readonly Parameter[];
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** JSON as TypeScript is written: keys bare where they can be. */
const literal = (value: unknown) =>
  JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_]\w*)":/gm, "$1$2:");
const indent = (text: string) => text.replaceAll("\n", "\n  ");

/** How an operation is called: with the SDK, with curl, with the command line. */
export function snippetsOf(call: Call, server: string): { sdk: string; curl: string; cli: string } {
  return { sdk: sdk(call), curl: curl(call, server), cli: cli(call) };
}

const shown = (parameters: readonly Parameter[], place: "path" | "query") =>
  parameters.filter((parameter) => parameter.in === place && parameter.required);

function bodyOf({ requestBody }: OperationObject) {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return type === undefined ? undefined : { type, example: media?.example };
}

function sdk({ operation, parameters }: Call): string {
  const body = bodyOf(operation);
  const query = shown(parameters, "query").map(({ name, example }) => [name, example] as const);
  const fields = [
    ...shown(parameters, "path").map(({ name, example }) => `${name}: ${literal(example)}`),
    ...(query.length > 0 ? [`query: ${literal(Object.fromEntries(query))}`] : []),
    ...(body ? [body.example === undefined ? "body" : `body: ${literal(body.example)}`] : []),
  ];
  // `fetch` knows the type of a form, but takes every text for plain text.
  const isTyped = body === undefined || /^application\/json$|form/.test(body.type);
  const options = isTyped ? "" : `, { headers: { "content-type": "${body.type}" } }`;
  const argument = fields.length === 0 ? "" : `{ ${fields.join(", ")} }`;
  const call = `await client.${operation.operationId}(${argument}${options})`;
  return call.length <= 64 && !call.includes("\n")
    ? call
    : `await client.${operation.operationId}({${fields.map((field) => `\n  ${indent(field)},`).join("")}\n}${options})`;
}

function curl({ method, path, operation, parameters }: Call, server: string): string {
  const examples = new Map(parameters.map(({ name, example }) => [name, String(example)]));
  const address = path.replace(/\{(\w+)\}/g, (_, name) => encodeURI(examples.get(name) ?? name));
  const query = new URLSearchParams(
    shown(parameters, "query").map(({ name, example }): [string, string] => [name, String(example)]),
  );
  const url = `${server}${address}${query.size > 0 ? `?${query.toString()}` : ""}`;
  const body = bodyOf(operation);
  const isAnonymous = operation.security.some((scheme) => Object.keys(scheme).length === 0);
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${query.size > 0 ? quote(url) : url}`,
    ...(isAnonymous ? [] : ['-H "Authorization: Bearer $PROMPTREG_TOKEN"']),
    ...curlBody(body),
  ].join(" \\\n  ");
}

function curlBody(body: { type: string; example: unknown } | undefined): string[] {
  if (body === undefined) return [];
  if (body.type === "multipart/form-data") return ["-F file=@path/to/file"];
  const data =
    body.example === undefined ? "--data-binary @path/to/file" : `-d ${quote(JSON.stringify(body.example))}`;
  return [`-H 'Content-Type: ${body.type}'`, data];
}

function cli({ operation, parameters }: Call): string {
  const body = bodyOf(operation);
  const values = [...shown(parameters, "path"), ...shown(parameters, "query")];
  const words = [
    `promptreg api ${operation.operationId}`,
    ...values.map(({ name, example }) => `${name}=${String(example)}`),
  ];
  if (body === undefined) return words.join(" ");
  const value = body.example === undefined ? "path/to/file" : quote(JSON.stringify(body.example));
  return `${words.join(" ")} \\\n  --body ${value}`;
}
