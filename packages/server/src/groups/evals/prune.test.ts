import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";
import { lockSurplusRun, selectSurplusRuns } from "./prune.sql.ts";
import { pruneRuns } from "./prune.ts";

let server: TestServer;
let alice: Person;
let now = Date.parse("2030-01-01T00:00:00.000Z");

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
});
afterAll(() => server.stop());

const pass = async (ms: number) => server.setClock(new Date((now += ms)).toISOString());

const start = async (slug: string, fields: object = {}): Promise<string> => {
  await pass(1);
  const body = { prompt: `alice/${slug}`, versionNumber: 1, model: "m", ...fields };
  return (await alice.request("POST /evals/runs", { body })).json.id;
};
const end = (id: string, body: object = {}) =>
  alice.request(`PATCH /evals/runs/${id}`, { body: { status: "completed", verdict: "pass", ...body } });
async function ended(slug: string, body: object = {}): Promise<string> {
  const id = await start(slug);
  await end(id, body);
  return id;
}
const left = async (slug: string) =>
  (await itemsOf(alice, `GET /evals/runs?prompt=alice/${slug}&limit=3`)).map(({ id }) => id).reverse();

describe("when runs of a prompt are pruned,", () => {
  test("the newest are kept, and older ones if they are pinned or running", async () => {
    await publish(alice, "full");
    await publish(alice, "other");
    const other = [await ended("other"), await ended("other")];
    const pinned = await ended("full", { pinned: true });
    const running = await start("full");
    const old = [await ended("full"), await ended("full")];
    const recent = [await ended("full"), await start("full"), await ended("full")];
    await alice.request(`POST /evals/runs/${running}/results`, {
      body: { results: [{ index: 0, caseKey: "a", status: "passed" }] },
    });
    expect(await selectSurplusRuns(server.sql, { kept: 3 })).toEqual(old);
    await pruneRuns(server.context, 3);
    expect(await left("full")).toEqual([pinned, running, ...recent]);
    expect(await left("other")).toEqual(other);
    expect((await alice.request(`GET /evals/runs/${old[0]}`)).status).toBe(404);
    expect((await server.sql`select from eval_results`).count).toBe(1);
    await end(running);
    await pruneRuns(server.context, 3);
    expect(await left("full")).toEqual([pinned, ...recent]);
  });

  test("old ones are deleted with all their results", async () => {
    await publish(alice, "long");
    const [first, second] = [await ended("long"), await ended("long")];
    await server.sql`
      insert into eval_results (run_id, case_key, attempt, index, status, output_truncated, assertions)
      select ${first}, n, 1, n, 'passed', false, '[]' from generate_series(1, 10001) n`;
    await pruneRuns(server.context, 1);
    expect(await left("long")).toEqual([second]);
    expect((await server.sql`select from eval_results where run_id = ${first}`).count).toBe(0);
  });

  test("one that is locked by a change is kept", async () => {
    await publish(alice, "busy");
    const ids = [await ended("busy"), await ended("busy"), await ended("busy")];
    await server.sql.begin(async (sql) => {
      await sql`select from eval_runs where id = ${ids[0] ?? ""} for no key update`;
      await pruneRuns(server.context, 1);
    });
    expect(await left("busy")).toEqual([ids[0], ids[2]]);
    await Promise.all([pruneRuns(server.context, 1), pruneRuns(server.context, 1)]);
    expect(await left("busy")).toEqual([ids[2]]);
  });

  test("one that is pinned after it was found is kept", async () => {
    await publish(alice, "late");
    const [older] = [await ended("late"), await ended("late")];
    expect(await selectSurplusRuns(server.sql, { kept: 1 })).toContain(older);
    await end(older, { pinned: true });
    expect(await server.sql.begin((sql) => lockSurplusRun(sql, older))).toBe(false);
  });

  test("those without a new run for an hour are skipped until one begins", async () => {
    await publish(alice, "quiet");
    const ids = [await ended("quiet"), await ended("quiet")];
    await pass(3_600_001);
    await pruneRuns(server.context, 1);
    expect(await left("quiet")).toEqual(ids);
    const next = await start("quiet");
    await pruneRuns(server.context, 1);
    expect(await left("quiet")).toEqual([next]);
  });

  test("one that is reported again during its deletion becomes a new run", async () => {
    await publish(alice, "again");
    const first = await start("again", { externalId: "build-1" });
    await end(first);
    let again: Promise<string> | undefined;
    await server.sql.begin(async (sql) => {
      await sql`delete from eval_runs where id = ${first}`;
      again = start("again", { externalId: "build-1" });
      const waiting = () =>
        server.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await waiting()).count === 0) await delay(5);
    });
    const second = await again;
    expect(second).toMatch(/^run_/);
    expect(await left("again")).toEqual([second]);
  });
});
