import {
  comparesTarget,
  isRepeatable,
  mediaList,
  type Operation,
  type RequestMedium,
  type Schema,
} from "@promptreg/core";
import type { OperationNotes } from "@promptreg/core/summaries";
import { sample, smallestSample } from "./sample.ts";
import type { PrintedSchemas } from "./schemas.ts";
import {
  type JsonSchema,
  type Media,
  type OperationObject,
  type Parameter,
  type Ref,
  refTo,
} from "./shape.ts";

/** The parameters of an operation: of its path, its query and its headers. */
export function printParameters(
  operation: Operation,
  notes: OperationNotes,
  schemas: PrintedSchemas,
): (Parameter | Ref)[] {
  return [
    ...printPathParameters(operation, notes, schemas),
    ...printQueryParameters(operation, notes, schemas),
    ...fieldsOf(operation.headers, schemas).map(
      ([name, schema, required]): Parameter => ({
        name,
        in: "header",
        ...(required && { required }),
        schema,
      }),
    ),
    ...commonHeadersOf(operation).map((name) => refTo("parameters", name)),
  ];
}

function printPathParameters(
  { route, params }: Operation,
  notes: OperationNotes,
  schemas: PrintedSchemas,
): Parameter[] {
  return fieldsOf(params, schemas).map(([name, { description = notes.params?.[name], ...schema }]) => {
    const rest = route.includes(`{${name}*}`) ? "The rest of the path. Slashes stay slashes." : undefined;
    const text = [description, rest].filter((sentence) => sentence !== undefined).join(" ");
    return {
      name,
      in: "path",
      required: true,
      ...(text !== "" && { description: text }),
      schema,
      example: sample(schema, { components: schemas.components }, name),
    };
  });
}

function printQueryParameters(
  { query }: Operation,
  notes: OperationNotes,
  schemas: PrintedSchemas,
): Parameter[] {
  return fieldsOf(query, schemas).map(
    ([name, { description = notes.query?.[name], ...schema }, required]) => ({
      name,
      in: "query",
      ...(required && { required, example: sample(schema, { components: schemas.components }, name) }),
      ...(description !== undefined && { description }),
      schema,
    }),
  );
}

/** The headers that operations of its method have in common. */
function commonHeadersOf(operation: Operation): string[] {
  const { route, access, canWait } = operation;
  if (route.startsWith("GET ")) return ["If-None-Match", ...(canWait ? ["Prefer"] : [])];
  return [
    ...(isRepeatable(operation) ? ["Idempotency-Key"] : []),
    ...(access.on !== undefined && comparesTarget(access) ? ["If-Match"] : []),
  ];
}

/** The fields of a schema for a path or a query: name, schema and whether it must be there. */
function fieldsOf(
  schema: Schema<unknown> | undefined,
  schemas: PrintedSchemas,
): [string, JsonSchema, boolean][] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.request(schema);
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}

const sizeOf = (bytes: number) =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;

/** The body that an operation takes, if any. */
export function printBody(
  { body }: Operation,
  schemas: PrintedSchemas,
): Pick<OperationObject, "requestBody"> {
  const media = mediaList<RequestMedium>(body);
  if (media.length === 0) return {};
  const limits = media.flatMap((medium) => ("maxBytes" in medium ? [medium.maxBytes] : []));
  return {
    requestBody: {
      ...(limits.length > 0 && { description: `At most ${sizeOf(Math.max(...limits))}.` }),
      required: !media.some((medium) => medium.kind === "json" && medium.schema.safeParse({}).success),
      content: Object.fromEntries(media.map((medium) => [medium.type, printRequestMedium(medium, schemas)])),
    },
  };
}

function printRequestMedium(medium: RequestMedium, schemas: PrintedSchemas): Media {
  switch (medium.kind) {
    case "text":
      return { schema: { type: "string" } };
    case "multipart": {
      const file: JsonSchema = { type: "string", contentMediaType: "application/octet-stream" };
      return {
        schema: { allOf: [schemas.request(medium.schema), { type: "object", additionalProperties: file }] },
      };
    }
    case "form":
      return { schema: schemas.request(medium.schema) };
    case "json": {
      const schema = schemas.request(medium.schema);
      const accepts = (value: unknown) => medium.schema.safeParse(value).success;
      const example = smallestSample(schema, { components: schemas.components, accepts });
      return { schema, ...(example !== undefined && { example }) };
    }
    case "bytes":
  }
  return {};
}
