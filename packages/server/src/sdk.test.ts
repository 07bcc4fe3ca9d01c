import { createHash } from "node:crypto";
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient } from "@promptreg/client";
import { contract, listOperations } from "@promptreg/core";
import { encoded, fresh, request } from "../test/contract/requests.ts";
import { headersOf } from "../test/group-scenes.ts";
import { startTestServer, type TestServer } from "../test/harness.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

let server: TestServer;
let stage: TestStage;
let client: Client;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  stage = new TestStage({
    server,
    owner: await server.join("alice", { role: "moderator" }),
    viewer: await server.join("viewer"),
  });
  client = createClient({ baseUrl: server.url, token: stage.owner.token, retries: 0, fetch: withinServer });
});
afterAll(() => server.stop());

/** Follows redirects as `fetch` does, but not beyond the API. */
async function withinServer(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return response;
  const target = new URL(location, url);
  if (target.href.startsWith(`${server.url}/api/`)) return withinServer(target.href, init);
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
    const method = id.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], client);
    const result = await (method as Method)({
      ...inPath(operation.route, params),
      query,
      headers: headersOf(id),
      ...(body !== undefined && { body: encoded(subject, body) }),
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

test("the SDK uploads a file of the disk, a blob and a stream, and none of them as a whole in memory", async () => {
  const folder = mkdtempSync(join(tmpdir(), "promptreg-sdk-"));
  const path = join(folder, "a.txt");
  writeFileSync(path, "of the disk");
  /** A file of bytes that come later: it says no size, so that nothing waits for its end. */
  class StreamedFile extends File {
    override stream() {
      return new Blob(["of a ", "stream"]).stream();
    }
    override get size() {
      return undefined as never;
    }
  }
  const sent: [Blob, string][] = [
    [await openAsBlob(path), "of the disk"],
    [new Blob(["of a blob"]), "of a blob"],
    [new StreamedFile([], "a.txt"), "of a stream"],
  ];
  for (const [file, content] of sent) {
    const body = new FormData();
    body.append("purpose", "file");
    body.append("file", file);
    const { sent: received } = await client.media.create({ body }, { timeoutMs: 600_000 });
    expect(received?.sha256).toBe(createHash("sha256").update(content).digest("hex"));
  }
  rmSync(folder, { recursive: true });
});
