import {
  type Access,
  canMove,
  groups,
  mediaList,
  type Operation,
  rateLimits,
  type RequestMedium,
  type ResponseMedium,
  type Schema,
} from "@promptreg/core";
import { type OperationNotes, summaries } from "@promptreg/core/summaries";
import { type ErrorComponents, errorAnswers } from "./errors.ts";
import { smallestSample, sample } from "./sample.ts";
import type { PrintedSchemas } from "./schemas.ts";
import {
  type Answer,
  type JsonSchema,
  type Media,
  type OperationObject,
  type Parameter,
  type Ref,
  refTo,
} from "./shape.ts";

/** What printing an operation reads, and the components that it adds to. */
export interface Printing extends ErrorComponents {
  schemas: PrintedSchemas;
}

/** The name of the group that an operation belongs to. */
export function groupOf(id: string): { title: string; description: string } {
  const name = id.split(".", 1)[0] ?? id;
  const known: Record<string, { title: string; description: string }> = groups;
  return known[name] ?? { title: name, description: "" };
}

/** Prints one operation from nothing but what the contract says about it. */
export function printOperation(id: string, operation: Operation, printing: Printing): OperationObject {
  const known: Record<string, OperationNotes> = summaries;
  const notes = known[id] ?? { summary: id };
  return {
    operationId: id,
    summary: notes.summary,
    description: [
      notes.description,
      describeAccess(operation.access),
      describeRate(operation),
      describeEvents(operation),
    ]
      .filter((paragraph) => paragraph !== undefined)
      .join("\n\n"),
    tags: [groupOf(id).title],
    security: operation.access.auth === "optional" ? [{}, { token: [] }] : [{ token: [] }],
    "x-scope": operation.access.scope,
    parameters: printParameters(operation, notes, printing.schemas),
    ...printBody(operation, printing.schemas),
    responses: {
      ...printAnswers(operation, printing.schemas),
      ...errorAnswers(operation, printing),
    },
  };
}

const people: Record<NonNullable<Access["allow"]>[number], string> = {
  owner: "the owner",
  moderator: "a moderator",
  admin: "an admin",
};

function describeAccess({ auth, scope, allow }: Access): string {
  const scopes = scope === "evals:write" ? "`evals:write` or `write`" : `\`${scope}\``;
  const token =
    auth === "optional"
      ? `Works without a token${scope === "none" ? "." : `; one with the scope ${scopes} can show more.`}`
      : scope === "none"
        ? "Needs a token; any valid one will do."
        : `Needs a token with the scope ${scopes}.`;
  return allow === undefined
    ? token
    : `${token} Only for ${new Intl.ListFormat("en", { type: "disjunction" }).format(allow.map((role) => people[role]))}.`;
}

const counted = { ip: "address", token: "token or address", account: "account", target: "target" };

function describeRate({ rate }: Operation): string | undefined {
  if (rate === undefined) return undefined;
  const { quota, windowSeconds, per } = rateLimits[rate.policy];
  const which = rate.when === undefined ? "" : ` with \`${rate.when}\``;
  return `At most ${quota} requests${which} in ${windowSeconds} seconds pass for each ${counted[per]}.`;
}

const describeEvents = ({ emits = [] }: Operation) =>
  emits.length > 0 ? `Events it can send: ${emits.map((name) => `\`${name}\``).join(", ")}.` : undefined;

function printParameters(
  { route, params, query, headers: own, access }: Operation,
  notes: OperationNotes,
  schemas: PrintedSchemas,
): (Parameter | Ref)[] {
  const isGet = route.startsWith("GET ");
  const isPost = route.startsWith("POST ");
  const headers = [
    isGet && "If-None-Match",
    isPost && access.auth === "required" && "Idempotency-Key",
    !isGet && !isPost && access.on !== undefined && "If-Match",
  ];
  return [
    ...fieldsOf(params, schemas).map(
      ([name, { description = notes.params?.[name], ...schema }]): Parameter => {
        const rest = route.includes(`{${name}*}`)
          ? "It takes all that follows: its slashes stay slashes."
          : undefined;
        const text = [description, rest].filter((sentence) => sentence !== undefined).join(" ");
        return {
          name,
          in: "path",
          required: true,
          ...(text !== "" && { description: text }),
          schema,
          example: sample(schema, { components: schemas.components }, name),
        };
      },
    ),
    ...fieldsOf(query, schemas).map(
      ([name, { description = notes.query?.[name], ...schema }, required]): Parameter => ({
        name,
        in: "query",
        ...(required && { required, example: sample(schema, { components: schemas.components }, name) }),
        ...(description !== undefined && { description }),
        schema,
      }),
    ),
    ...fieldsOf(own, schemas).map(
      ([name, schema, required]): Parameter => ({
        name,
        in: "header",
        ...(required && { required }),
        schema,
      }),
    ),
    ...headers.filter((name) => name !== false).map((name) => refTo("parameters", name)),
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

function printBody({ body }: Operation, schemas: PrintedSchemas): Pick<OperationObject, "requestBody"> {
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

const outcomes: Record<string, string> = {
  200: "The answer.",
  201: "Created.",
  202: "Accepted: it will be done soon.",
  204: "Done. There is nothing to say about it.",
  302: "It is elsewhere, as `Location` says.",
  404: "There is nothing here, and a page says so.",
};

const doneUnseen = "Done. The token lacks the scope `read`, and so the answer is left out.";

function printAnswers(operation: Operation, schemas: PrintedSchemas): Record<string, Answer> {
  const { route, access, results } = operation;
  const isGet = route.startsWith("GET ");
  const answers = Object.entries(results).map(([status, declared]): [string, Answer] => {
    const media = mediaList<ResponseMedium>(declared);
    const headers = [
      "X-Request-Id",
      isGet && media.some(({ kind }) => kind !== "redirect") && "ETag",
      isGet && "Cache-Control",
      (status === "201" || media.some(({ kind }) => kind === "redirect")) && "Location",
      route.startsWith("POST ") && access.auth === "required" && "Idempotency-Replayed",
      "RateLimit",
      "RateLimit-Policy",
    ].filter((name) => name !== false);
    const content = media.flatMap((medium) =>
      "type" in medium ? [[medium.type, printAnswerMedium(medium, schemas)] as const] : [],
    );
    return [
      status,
      {
        description:
          status === "204" && Object.keys(results).length > 1
            ? doneUnseen
            : (outcomes[status] ?? "The answer."),
        headers: Object.fromEntries(headers.map((name) => [name, refTo("headers", name)])),
        ...(content.length > 0 && { content: Object.fromEntries(content) }),
      },
    ];
  });
  const unchanged: Answer = {
    description: "What you hold is current: your `If-None-Match` names it. There is no body.",
    headers: Object.fromEntries(["X-Request-Id", "ETag"].map((name) => [name, refTo("headers", name)])),
  };
  const moved: Answer = {
    description: "It has another address now: `Location` says which. This one will lead there for ever.",
    headers: Object.fromEntries(["X-Request-Id", "Location"].map((name) => [name, refTo("headers", name)])),
  };
  return Object.fromEntries([
    ...answers,
    ...(canMove(operation) ? [[isGet ? "301" : "308", moved] as const] : []),
    ...(isGet ? [["304", unchanged] as const] : []),
  ]);
}

function printAnswerMedium(medium: ResponseMedium, schemas: PrintedSchemas): Media {
  if (medium.kind === "json") return { schema: schemas.answer(medium.schema) };
  return medium.kind === "bytes" ? {} : { schema: { type: "string" } };
}
