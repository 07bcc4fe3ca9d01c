import {
  bytes,
  contract,
  empty,
  type EventName,
  events,
  exampleEnvelope,
  form,
  html,
  json,
  listOperations,
  mediaList,
  multipart,
  op,
  redirect,
  type RequestMedium,
  type Schema,
  text,
} from "@promptreg/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { printOpenapi } from "./document.ts";
import { sample } from "./sample.ts";
import { type Answer, type JsonSchema, nameOf, type OperationObject } from "./shape.ts";

const publicUrl = "https://prompts.example";
const document = printOpenapi(contract, { publicUrl });

const operationsOf = (printed: typeof document): Record<string, OperationObject> =>
  Object.fromEntries(
    Object.values(printed.paths).flatMap((item) =>
      Object.values(item).map((operation) => [operation.operationId, operation] as const),
    ),
  );
const operations = operationsOf(document);

const answerOf = (operation: OperationObject | undefined, status: number): Answer => {
  const answer = operation?.responses[status];
  if (answer === undefined) throw new Error(`${operation?.operationId} has no answer ${status}`);
  return "$ref" in answer ? (document.components.responses[nameOf(answer.$ref)] as Answer) : answer;
};

describe("the document of the contract", () => {
  test("has every operation under its id, with a summary and the tag of its group", () => {
    expect(Object.keys(operations).sort()).toEqual(
      listOperations(contract)
        .map(({ id }) => id)
        .sort(),
    );
    expect(operations["prompts.labels.put"]).toMatchObject({
      summary: "Creates a label, or moves it to another version.",
      tags: ["Prompts"],
    });
  });

  test("has an example for every JSON body that the server itself would take", () => {
    for (const { id, operation } of listOperations(contract)) {
      for (const medium of mediaList<RequestMedium>(operation.body)) {
        if (medium.kind !== "json") continue;
        const example = operations[id]?.requestBody?.content[medium.type]?.example;
        expect(medium.schema.safeParse(example), `${id} ${JSON.stringify(example)}`).toMatchObject({
          success: true,
        });
      }
    }
  });

  test("gives path parameters examples of the form they need", () => {
    for (const { id, operation } of listOperations(contract)) {
      const shown =
        operations[id]?.parameters.flatMap((one) => ("in" in one && one.in === "path" ? [one] : [])) ?? [];
      const values = Object.fromEntries(shown.map(({ name, example }) => [name, String(example)]));
      expect(operation.params?.safeParse(values) ?? { success: true }, `path of ${id}`).toMatchObject({
        success: true,
      });
    }
  });

  test("describes answers so that an answer made from the description passes the server's own check", () => {
    for (const { id, operation } of listOperations(contract)) {
      for (const [status, media] of Object.entries(operation.results)) {
        for (const medium of mediaList(media as { kind: string; schema?: Schema<unknown> })) {
          if (medium.schema === undefined) continue;
          const answer = answerOf(operations[id], Number(status));
          const schema = answer.content?.["application/json"]?.schema ?? {};
          const value = sample(schema, { components: document.components.schemas, isAnswer: true });
          const parsed = medium.schema.safeParse(value);
          expect(parsed, `${id} ${status} ${parsed.error?.message}`).toMatchObject({ success: true });
        }
      }
    }
  });

  test("says of every field what it is", () => {
    const bare: string[] = [];
    const visit = (schema: JsonSchema, place: string) => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const { description: _, ...said } = field;
        // The two fields of a variable that hold any JSON.
        const isAnyJson = place === "Variable" && (name === "default" || name === "example");
        if (Object.keys(said).length === 0 && !isAnyJson) bare.push(`${place}.${name}`);
        visit(field, `${place}.${name}`);
      }
    };
    for (const [id, schema] of Object.entries(document.components.schemas)) visit(schema, id);
    expect(bare).toEqual([]);
  });

  test("leads every reference to a component that is there", () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(0);
    for (const [, kind = "", name = ""] of refs) {
      expect(document.components[kind as "schemas"], `${kind}/${name}`).toHaveProperty([name]);
    }
  });

  test("refuses unknown fields in requests and allows for new ones in answers", () => {
    expect(document.components.schemas["CreateWebhook"]?.additionalProperties).toBe(false);
    expect(document.components.schemas["Webhook"]?.additionalProperties).toBeUndefined();
  });

  test("carries the comments on fields over as their descriptions", () => {
    expect(document.components.schemas["Webhook"]?.properties?.["secretHint"]?.description).toBe(
      "The last four characters of the secret.",
    );
  });

  test("tells who may call: the scope, the role, and where no token is needed at all", () => {
    expect(operations["prompts.labels.put"]).toMatchObject({ security: [{ token: [] }], "x-scope": "write" });
    expect(operations["prompts.labels.put"]?.description).toContain("Only for its owner.");
    expect(operations["prompts.get"]?.security).toEqual([{}, { token: [] }]);
  });

  test("groups the error codes of an operation by status, with what each means", () => {
    const answer = answerOf(operations["prompts.labels.put"], 409);
    const codes = ["label_conflict", "prompt_not_published", "quota_exceeded", "version_yanked"];
    expect(Object.keys(answer.content?.["application/json"]?.examples ?? {})).toEqual(codes);
    expect(answer.description).toContain(
      "`version_yanked`: This version was yanked and cannot be used for anything new. Choose another version.",
    );
  });

  test("has the headers that reads, creations and changes take and answer with", () => {
    const refs = (id: string) =>
      operations[id]?.parameters.flatMap((one) => ("$ref" in one ? [one.$ref] : []));
    expect(refs("prompts.versions.get")).toEqual(["#/components/parameters/If-None-Match"]);
    const waiting = ["#/components/parameters/If-None-Match", "#/components/parameters/Prefer"];
    expect(refs("prompts.get")).toEqual(waiting);
    for (const status of [200, 304] as const)
      expect(answerOf(operations["prompts.get"], status).headers).toHaveProperty("Preference-Applied");
    expect(refs("prompts.create")).toEqual(["#/components/parameters/Idempotency-Key"]);
    expect(refs("prompts.labels.put")).toEqual(["#/components/parameters/If-Match"]);
    // The registry keeps no bytes of uploads, and so cannot know one again.
    expect(refs("imports.upload")).toEqual([]);
    expect(answerOf(operations["imports.upload"], 202).headers).not.toHaveProperty("Idempotency-Replayed");
    expect(answerOf(operations["prompts.create"], 201).headers).toHaveProperty("Location");
    expect(operations["prompts.get"]?.responses).toHaveProperty("304");
  });

  test("says that a token which may not read gets no answer, where that is so", () => {
    expect(answerOf(operations["prompts.update"], 204).description).toContain("lacks the scope `read`");
    expect(answerOf(operations["prompts.delete"], 204).description).not.toContain("scope");
  });

  test("has every event with an example that fits what is sent", () => {
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(events));
    for (const name of Object.keys(events) as EventName[]) {
      const { example } = document.webhooks[name]?.post?.requestBody?.content["application/json"] ?? {};
      expect(example).toEqual(exampleEnvelope(name));
      const { prompt: _, actor: __, ...data } = (example as { data: Record<string, unknown> }).data;
      expect(events[name].data.safeParse(data), `example of ${name}`).toMatchObject({ success: true });
    }
  });
});

test("media other than JSON, several answers and paths of several segments are described too", () => {
  const access = { auth: "optional", scope: "none" } as const;
  const printed = operationsOf(
    printOpenapi(
      {
        things: {
          upload: op({
            route: "POST /things",
            access,
            body: [
              multipart(z.strictObject({ note: z.string() }), { maxBytes: 1024 * 1024 }),
              form(z.strictObject({ note: z.string() }), { maxBytes: 4096 }),
              text("text/csv"),
            ],
            results: { 204: empty() },
          }),
          read: op({
            route: "GET /things/{path*}",
            access,
            params: z.strictObject({ path: z.string() }),
            query: z.strictObject({ size: z.enum(["s", "l"]) }),
            headers: z.object({ "content-range": z.string() }),
            results: {
              200: [text(), bytes("application/zip"), html(), json(z.strictObject({ n: z.int() }))],
              302: redirect(),
            },
          }),
        },
      },
      { publicUrl },
    ),
  );
  const { upload, read } = { upload: printed["things.upload"], read: printed["things.read"] };
  expect(Object.keys(upload?.requestBody?.content ?? {})).toEqual([
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "text/csv",
  ]);
  expect(upload?.requestBody?.description).toBe("At most 1 MiB.");
  expect(answerOf(upload, 204).content).toBeUndefined();
  const types = ["text/plain", "application/zip", "text/html", "application/json"];
  expect(Object.keys(answerOf(read, 200).content ?? {})).toEqual(types);
  expect(answerOf(read, 302).headers).toHaveProperty("Location");
  expect(read?.parameters).toMatchObject([
    {
      name: "path",
      in: "path",
      required: true,
      description: "The rest of the path. Slashes stay slashes.",
    },
    { name: "size", in: "query", required: true, example: "s" },
    { name: "content-range", in: "header", required: true, schema: { type: "string" } },
    {},
  ]);
});

test("a schema with an id that reads one way in requests and another in answers is refused", () => {
  const schema = z.strictObject({ at: z.string().default("now") }).meta({ id: "DocumentTestThing" });
  const thing = json(schema as unknown as Schema<{ at: string }>);
  const access = { auth: "required", scope: "write" } as const;
  const put = op({ route: "PUT /thing", access, body: thing, results: { 200: thing } });
  expect(() => printOpenapi({ put }, { publicUrl })).toThrow(/DocumentTestThing differs/);
});
