import { contract, listOperations } from "@promptreg/core";
import { isThorough } from "../../core/src/testing/growth.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fresh, isWrite, request, send, type Staging } from "../test/contract/requests.ts";
import { startTestServer, type TestServer } from "../test/harness.ts";
import { mark, variantsOf } from "../test/contract/marked.ts";
import type { Parts } from "../test/requests.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

const lines: string[] = [];
let server: TestServer;
let stage: TestStage;

beforeAll(async () => {
  server = await startTestServer({
    log: { write: (line) => void lines.push(line) },
    logLevel: "trace",
  });
  await liftLimits(server);
  stage = new TestStage({
    server,
    owner: await server.join("alice", { role: "moderator" }),
    viewer: await server.join("viewer"),
  });
});
afterAll(() => server.stop());

/** The short form asks every fourth operation: all are logged alike. */
const operations = listOperations(contract).filter((_, nth) => isThorough || nth % 4 === 0);

/** The long form marks each text of a body, and the short form every sixth, in turn: all are stored and logged alike. */
const tried = (parts: Parts, place: number): Parts[] =>
  [...variantsOf(parts)].filter((_, nth) => isThorough || nth === 0 || (nth + place) % 6 === 0);

test("no line of the log quotes a request, whatever its operation, and however the database fails", async () => {
  const asked: [Staging, Parts][] = [];
  for (const { id, operation } of operations) {
    const staging = { id, operation, stage };
    const parts = request(staging, await fresh(staging));
    asked.push([staging, parts]);
    if (!isWrite(operation)) for (const variant of tried(parts, 0)) await send(staging, stage.owner, variant);
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
  for (const [place, [staging, parts]] of asked.entries())
    for (const variant of isWrite(staging.operation) ? tried(parts, place) : []) {
      const { status } = await send(staging, stage.owner, variant);
      if (status === 500) failed.add(staging.id);
    }
  expect(failed.size).toBeGreaterThan(operations.length / 3);
  const last = [...failed].at(-1);
  await vi.waitFor(() => expect(lines.join("")).toContain(`"operation":"${last}"`), {
    timeout: 60_000,
  });
  expect(lines.filter((line) => line.includes(mark))).toEqual([]);
});
