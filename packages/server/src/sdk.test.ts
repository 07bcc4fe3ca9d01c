import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient } from "@promptreg/client";
import { contract, listOperations, mediaList } from "@promptreg/core";
import { fresh, request } from "../test/contract/requests.ts";
import { operationScenes } from "../test/group-scenes.ts";
import { startTestServer, type TestServer } from "../test/harness.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

let server: TestServer;
let stage: TestStage;
let client: Client;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  stage = new TestStage({ server, owner: await server.join("alice"), viewer: await server.join("viewer") });
  client = createClient({ baseUrl: server.url, token: stage.owner.token, retries: 0, fetch: withinServer });
});
afterAll(() => server.stop());

/** Follows redirects as `fetch` does, but not to other servers. */
async function withinServer(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return response;
  const target = new URL(location, url);
  if (target.origin === server.url) return withinServer(target.href, init);
  return new Response("Elsewhere", {
    headers: { "x-request-id": response.headers.get("x-request-id") ?? "" },
  });
}

/** Of all that names a thing, what a path has. */
const inPath = (route: string, params: Record<string, unknown>) =>
  Object.fromEntries([...route.matchAll(/\{(\w+)/g)].map(([, name = ""]) => [name, params[name]]));

type Method = (input: object) => Promise<unknown>;

test.each(listOperations(contract))(
  "the SDK calls $id as typed: it says itself what the body is, and resolves to what the operation returns",
  async ({ id, operation }) => {
    const subject = { id, operation, stage };
    const { params, query, body } = request(subject, await fresh(subject));
    const isForm = mediaList(operation.body)[0]?.kind === "form";
    const method = id.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], client);
    const result = await (method as Method)({
      ...inPath(operation.route, params),
      query,
      headers: operationScenes[id]?.headers ?? {},
      ...(body !== undefined && {
        body: isForm ? new URLSearchParams(body as Record<string, string>) : body,
      }),
    });
    const isEmpty = Object.keys(operation.results).every((status) => status === "204");
    expect(result === undefined).toBe(isEmpty);
  },
);

test("the SDK says of a body of several types which one it is", async () => {
  const { thing } = await stage.make("dataset");
  const { id } = thing.params as { id: string };
  const body = `${JSON.stringify({ key: "of-jsonl", variables: {} })}\n`;
  const options = { contentType: "application/x-ndjson" } as const;
  expect(await client.evals.datasets.import({ id, body }, options)).toMatchObject({ added: 1 });
});
