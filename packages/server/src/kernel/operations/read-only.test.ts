import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { filesOf } from "../../../test/prompts.ts";
import { setReadOnly } from "../../../test/read-only.ts";

interface Line {
  level: number;
  msg: string;
  operation?: string;
}

let database: TestDatabase;
let server: TestServer;
let alice: Person;
const log: Line[] = [];

beforeAll(async () => {
  database = await createDatabase();
  server = await startTestServer({
    database,
    log: { write: (line) => void log.push(JSON.parse(line) as Line) },
  });
  alice = await server.join("alice");
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

const create = (id: string) =>
  alice.request("POST /prompts", {
    body: { kind: "text", title: "One", files: filesOf("1") },
    headers: { "x-request-id": id },
  });
const ready = async () => {
  const response = await fetch(`${server.url}/readyz`);
  return [response.status, await response.json()];
};

describe("while the database is read-only, as after a failover,", () => {
  test("writes get 503, reads succeed, and /readyz says so without taking the server away", async () => {
    await setReadOnly(server, "on");
    await vi.waitFor(async () => expect((await alice.request("GET /me")).status).toBe(200));
    log.length = 0;
    const { status, json } = await create("the-refused-one");
    expect([status, json.error.code]).toEqual([503, "unavailable"]);
    await vi.waitFor(
      async () => expect(await ready()).toEqual([200, { status: "ready", writes: "refused" }]),
      5_000,
    );
    expect((await alice.request("GET /me")).status).toBe(200);
    expect(log.find(({ operation }) => operation === "prompts.create")).toMatchObject({
      requestId: "the-refused-one",
      status: 503,
      ms: expect.any(Number),
      err: { code: "25006" },
    });
    await setReadOnly(server, "off");
    await vi.waitFor(async () => expect(await ready()).toEqual([200, { status: "ready" }]), 10_000);
    expect((await create("the-next-one")).status).toBe(201);
    expect(log.filter(({ msg }) => /changes/.test(msg)).map(({ msg }) => msg)).toEqual([
      "the database is read-only: reads work, and changes get 503",
      "the database takes changes again",
    ]);
  });
});
