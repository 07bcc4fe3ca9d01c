import { contract, listOperations } from "@promptreg/core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fresh, isWrite, request, send, type Staging } from "../test/contract/requests.ts";
import { startTestServer, type TestServer } from "../test/harness.ts";
import type { Parts } from "../test/requests.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

const lines: string[] = [];
let server: TestServer;
let stage: TestStage;

beforeAll(async () => {
  server = await startTestServer({ log: { write: (line) => void lines.push(line) }, logLevel: "trace" });
  await liftLimits(server);
  stage = new TestStage({
    server,
    owner: await server.join("alice", { role: "moderator" }),
    viewer: await server.join("viewer"),
  });
});
afterAll(() => server.stop());

const operations = listOperations(contract);
const mark = "said-in-confidence";

/** A text with the mark, if whoever asks may choose it: names of the contract and ids stay what they are. */
const markText = (text: string) =>
  /^[a-z]{3}_\w{26}$|^[a-z]+([A-Z_][a-z]+)*$/.test(text) ? text : text + mark;

function markAll(value: unknown): unknown {
  if (typeof value === "string") return markText(value);
  if (Array.isArray(value)) return value.map(markAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, markAll(one)]));
}

/** A request as it is, and with the mark in all texts, and in one after the other: contracts take it in some of them. */
function* variantsOf(parts: Parts): Generator<Parts> {
  yield parts;
  const { query, body } = parts;
  yield { ...parts, query: markAll(query) as Parts["query"] };
  const fields = typeof body === "object" && body !== null ? body : {};
  if (typeof body === "string") yield { ...parts, body: markText(body) };
  for (const [name, one] of Object.entries(fields))
    yield { ...parts, body: { ...fields, [name]: markAll(one) } };
}

test("no line of the log quotes a request, whatever its operation, and however the database fails", async () => {
  const asked: [Staging, Parts][] = [];
  for (const { id, operation } of operations) {
    const staging = { id, operation, stage };
    const parts = request(staging, await fresh(staging));
    asked.push([staging, parts]);
    if (!isWrite(operation))
      for (const variant of variantsOf(parts)) await send(staging, stage.owner, variant);
  }
  // From now on each row that is written is refused, and the refusal quotes it.
  await server.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      raise exception using errcode = 'data_exception', message = 'cannot store ' || new::text, detail = new::text,
        hint = new::text, constraint = 'refused';
    end $$;
    do $$ declare name regclass; begin
      for name in select oid from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace loop
        execute format('create trigger refuse before insert or update on %s for each row execute function refuse()', name);
      end loop;
    end $$`);
  const failed = new Set<string>();
  for (const [staging, parts] of asked)
    for (const variant of isWrite(staging.operation) ? variantsOf(parts) : []) {
      const { status } = await send(staging, stage.owner, variant);
      if (status === 500) failed.add(staging.id);
    }
  expect(failed.size).toBeGreaterThan(70);
  await vi.waitFor(() => expect(lines.join("")).toContain('"operation":"webhooks.create"'), {
    timeout: 60_000,
  });
  expect(lines.filter((line) => line.includes(mark))).toEqual([]);
});
