import {
  listOperations,
  mediaList,
  type RequestMedium,
  type ResponseMedium,
  type Schema,
} from "@promptreg/core";
import { schemaNotes } from "@promptreg/core/summaries";
import * as z from "zod";
import { type JsonSchema, nameOf, refTo } from "./shape.ts";
import { tellApart } from "./unions.ts";

/** Schemas as the document has them: where a schema stands, mostly a `$ref`, and what the references lead to. */
export interface PrintedSchemas {
  /** A schema of `params`, `query` or `body`. */
  request(schema: Schema<unknown>): JsonSchema;
  /** A schema of `results`, or one of those given beside the contract. */
  answer(schema: Schema<unknown>): JsonSchema;
  components: Record<string, JsonSchema>;
}

const schemasOf = (media: readonly (RequestMedium | ResponseMedium)[]): Schema<unknown>[] =>
  media.flatMap((medium) => ("schema" in medium ? [medium.schema] : []));

/**
 * Prints every schema of a contract, and `more` that is sent beside its answers.
 * @throws {Error} where a schema means one thing in requests and another in answers.
 */
export function printSchemas(contract: object, more: readonly Schema<unknown>[] = []): PrintedSchemas {
  const operations = listOperations(contract).map(({ operation }) => operation);
  const requests = print(
    operations.flatMap(({ params, query, headers, body }) => [
      ...[params, query, headers].filter((schema) => schema !== undefined),
      ...schemasOf(mediaList<RequestMedium>(body)),
    ]),
    "input",
  );
  const answers = print(
    [
      ...operations.flatMap(({ results }) =>
        Object.values(results).flatMap((media) => schemasOf(mediaList<ResponseMedium>(media))),
      ),
      ...more,
    ],
    "output",
  );
  for (const [id, schema] of Object.entries(requests.components)) {
    const answered = answers.components[id];
    if (answered && JSON.stringify(loosen(schema)) !== JSON.stringify(answered)) {
      throw new Error(`The schema ${id} differs between requests and answers: give each an id of its own.`);
    }
  }
  const components = Object.entries({ ...requests.components, ...answers.components });
  return {
    request: (schema) => requests.places.get(schema) ?? {},
    answer: (schema) => answers.places.get(schema) ?? {},
    components: Object.fromEntries(components.sort(([a], [b]) => (a < b ? -1 : 1)).map(annotate)),
  };
}

function print(schemas: readonly Schema<unknown>[], io: "input" | "output") {
  const distinct = [...new Set(schemas)];
  const { prefixItems = [], $defs = {} } = moved(
    z.toJSONSchema(z.tuple(distinct as unknown as [z.ZodType]), {
      io,
      unrepresentable: "any",
      override: tidy,
    }),
  );
  const open = <T>(value: T) => tellApart(io === "output" ? loosen(value) : value, $defs);
  return {
    places: new Map(distinct.map((schema, i) => [schema, open(prefixItems[i] ?? {})])),
    components: open($defs),
  };
}

/**
 * References lead to the document's components instead of definitions of their own. Only any JSON (`z.json()`)
 * recurses without an id of ours; to say no more of it than that is clearer.
 */
const moved = (schema: object): { prefixItems?: JsonSchema[]; $defs?: Record<string, JsonSchema> } =>
  JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key.startsWith("__")) return undefined;
    const ref = typeof value?.$ref === "string" ? value.$ref : "";
    if (ref.startsWith("#/$defs/__")) return {};
    if (Array.isArray(value?.anyOf) && value.anyOf.some((one: object) => Object.keys(one).length === 0))
      return {};
    return ref === "" ? value : { ...value, ...refTo("schemas", nameOf(ref)) };
  });

/** What answers hold can grow at any time, so nobody should refuse a field that is new to them. */
const loosen = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (key, item) =>
      key === "additionalProperties" && item === false ? undefined : item,
    ),
  );

/** Leaves out what is noise in a document: ids, the bounds of a double's integers, patterns of a number's text. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  delete jsonSchema.id;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (jsonSchema.type === "integer") delete jsonSchema.pattern;
  // What is one of several by its type is any of them: readers of the document need one word for that.
  if (jsonSchema.oneOf) {
    jsonSchema.anyOf = jsonSchema.oneOf;
    delete jsonSchema.oneOf;
  }
}

/** Adds what the comments on a schema's type say about it and its fields. */
function annotate([id, schema]: [string, JsonSchema]): [string, JsonSchema] {
  const { description, fields = {} } = schemaNotes[id] ?? {};
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const note = fields[name];
    return [name, note === undefined ? field : { ...field, description: note }] as const;
  });
  return [
    id,
    {
      ...(description !== undefined && { description }),
      ...schema,
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    },
  ];
}
