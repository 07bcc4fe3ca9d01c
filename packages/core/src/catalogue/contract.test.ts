import * as z from "zod";
import { expect, test } from "vitest";
import {
  contract,
  errorCatalogue,
  events,
  listOperations,
  mediaList,
  type Operation,
  type RequestMedium,
  type ResponseMedium,
} from "../index.ts";
import * as core from "../index.ts";
import * as archive from "../account/index.ts";
import { openTargetIds, openTool } from "../groups/open-in/open-targets.ts";

type JsonSchema = Record<string, any>;

/** The schemas that have a name, as their type is written. */
const named = new Map<string, string>();

/** How a JSON schema is written: `{ title: string(minLength 1, maxLength 120), n?: integer(minimum 1) | null }`. */
function written({ $defs: _, $schema: __, ...schema }: JsonSchema): string {
  if (schema["$ref"]) return (schema["$ref"] as string).replace("#/$defs/", "");
  const parts: JsonSchema[] | undefined = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  if (parts) return parts.map(written).join(schema["allOf"] ? " & " : " | ");
  if (schema["enum"]) return (schema["enum"] as unknown[]).map((one) => JSON.stringify(one)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const { type = "unknown", description: _description, id: _id, examples: _examples, ...more } = schema;
  // The name of a format says what its pattern says.
  if (more["format"] !== undefined) delete more["pattern"];
  if (more["minimum"] === Number.MIN_SAFE_INTEGER) delete more["minimum"];
  if (more["maximum"] === Number.MAX_SAFE_INTEGER) delete more["maximum"];
  if (type === "array") {
    const { items = {}, ...rest } = more;
    return `[${written(items as JsonSchema)}]${bounds(rest)}`;
  }
  if (type !== "object") return `${[type].flat().join(" | ")}${bounds(more)}`;
  const { properties = {}, required = [], additionalProperties, propertyNames, ...rest } = more;
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, field]) => `${name}${(required as string[]).includes(name) ? "" : "?"}: ${written(field)}`,
  );
  if (typeof additionalProperties === "object")
    fields.push(`[${propertyNames ? written(propertyNames) : "string"}]: ${written(additionalProperties)}`);
  else if (additionalProperties !== false) fields.push("…");
  return `{ ${fields.join(", ")} }${bounds(rest)}`;
}

const bounds = (more: JsonSchema): string =>
  Object.keys(more).length === 0
    ? ""
    : `(${Object.entries(more)
        .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
        .join(", ")})`;

function typeOf(schema: z.ZodType | undefined, io: "input" | "output"): string {
  if (schema === undefined) return "nothing";
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema;
  for (const [name, one] of Object.entries((json["$defs"] ?? {}) as Record<string, JsonSchema>))
    named.set(name, written(one));
  return written(json);
}

/** What a body or a response is: its kind, its bounds and its fields. */
const mediaOf = (media: unknown, io: "input" | "output"): string =>
  mediaList<RequestMedium | ResponseMedium>(media as never)
    .map(({ kind, ...rest }) => {
      const { schema, type = "", ...more } = rest as { schema?: z.ZodType; type?: string; maxBytes?: number };
      // What is answered has no limit.
      if (io === "output") delete more.maxBytes;
      return [
        kind,
        type,
        Object.keys(more).length > 0 ? JSON.stringify(more) : "",
        schema ? typeOf(schema, io) : "",
      ]
        .filter((part) => part !== "" && part !== "application/json")
        .join(" ");
    })
    .join(" or ");

function linesOf(id: string, operation: Operation): string[] {
  const { route, params, query, headers, body, results, ...rest } = operation as Operation & JsonSchema;
  return [
    `${id}: ${route}`,
    ...Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `  ${name} ${JSON.stringify(value)}`),
    ...Object.entries({ params, query, headers })
      .filter(([, schema]) => schema !== undefined)
      .map(([name, schema]) => `  ${name} ${typeOf(schema, "input")}`),
    ...(body === undefined ? [] : [`  body ${mediaOf(body, "input")}`]),
    ...Object.entries(results).map(([status, media]) => `  ${status} ${mediaOf(media, "output")}`),
  ];
}

/** Whether a value is data, such as limits and words that have a meaning. What errors say is prose. */
const isData = (value: unknown): boolean =>
  Array.isArray(value) || (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype)
    ? value !== errorCatalogue && Object.values(value as object).every(isData)
    : ["string", "number", "boolean"].includes(typeof value);

test("the contract changes only on purpose: `contract.txt` says what users rely on", async () => {
  const operations = listOperations(contract).flatMap(({ id, operation }) => linesOf(id, operation));
  const told = [
    ...Object.entries(events).map(
      ([name, { data, description: _, example: __, ...more }]) =>
        `event ${name} ${JSON.stringify(more)} ${typeOf(data as never, "output")}`,
    ),
    ...Object.entries(archive).flatMap(([name, schema]) =>
      schema instanceof z.ZodType ? [`archive ${name} ${typeOf(schema, "input")}`] : [],
    ),
    ...Object.entries(core).flatMap(([name, value]) =>
      isData(value) ? [`constant ${name} ${JSON.stringify(value)}`] : [],
    ),
    ...openTargetIds.map((id) => `tool ${id} ${JSON.stringify(openTool(id))}`),
    ...Object.entries(errorCatalogue).map(([code, { status }]) => `error ${code} ${status}`),
  ];
  const schemas = [...named].sort().map(([name, text]) => `${name} = ${text}`);
  const text = [...operations, ...told, ...schemas].join("\n");
  await expect(`${text}\n`).toMatchFileSnapshot("../../contract.txt");
});
