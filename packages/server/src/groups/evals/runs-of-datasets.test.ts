import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf, type Sender } from "../../../test/requests.ts";
import { pruneRuns } from "./prune.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  await publish(alice, "graded", { versions: 2 });
});
afterAll(() => server.stop());

const start = (fields: object = {}, who: Sender = alice) =>
  who.request("POST /evals/runs", {
    body: { prompt: "alice/graded", versionNumber: 1, model: "m", ...fields },
  });
const createDataset = async (
  name: string,
  visibility = "private",
  prompt = "alice/graded",
): Promise<string> =>
  (await alice.request("POST /evals/datasets", { body: { prompt, name, visibility } })).json.id;
const addCase = (dataset: string, key: string) =>
  alice.request(`POST /evals/datasets/${dataset}/cases`, { body: { cases: [{ key }] } });
const get = async (id: string, who: Sender = alice) => (await who.request(`GET /evals/runs/${id}`)).json;
const append = (id: string, results: object[]) =>
  alice.request(`POST /evals/runs/${id}/results`, { body: { results } });
const passed = { index: 0, caseKey: "one", status: "passed", output: "Fine" };

describe("a run of a dataset", () => {
  test("keeps its name and revision, whatever becomes of the dataset", async () => {
    const id = await createDataset("golden");
    await addCase(id, "one");
    const { json: run } = await start({ dataset: "golden" });
    expect(run.dataset).toEqual({ id, name: "golden", revision: 2 });
    await addCase(id, "two");
    await alice.request(`PATCH /evals/datasets/${id}`, { body: { name: "renamed" } });
    const renamed = await alice.request(`GET /evals/runs/${run.id}`);
    expect(renamed.json.dataset).toEqual({ id, name: "golden", revision: 2 });
    await alice.request(`DELETE /evals/datasets/${id}`);
    const left = await alice.request(`GET /evals/runs/${run.id}`);
    expect(left.json.dataset).toEqual({ id: null, name: "golden", revision: 2 });
    expect(left.headers.get("etag")).not.toBe(renamed.headers.get("etag"));
    for (const dataset of ["renamed", id])
      expect(codeOf(await start({ dataset }))).toEqual([404, "not_found"]);
  });

  test("names it by its id too, and the revision whose cases were run", async () => {
    const id = await createDataset("old cases");
    await addCase(id, "one");
    const { json } = await start({ dataset: id, datasetRevision: 1 });
    expect(json.dataset).toEqual({ id, name: "old cases", revision: 1 });
    // Another one with this id as its name does not come between.
    await createDataset(id);
    expect((await start({ dataset: id })).json.dataset).toEqual({ id, name: "old cases", revision: 2 });
    expect((await start({ dataset: id, datasetRevision: 2 })).status).toBe(201);
    expect(codeOf(await start({ dataset: id, datasetRevision: 3 }))).toEqual([422, "validation_failed"]);
    expect(codeOf(await start({ datasetRevision: 1 }))).toEqual([422, "validation_failed"]);
  });

  test("needs a dataset of its own prompt", async () => {
    await publish(alice, "other");
    const elsewhere = await createDataset("elsewhere", "public", "alice/other");
    for (const dataset of ["nothing", "elsewhere", elsewhere])
      expect(codeOf(await start({ dataset }))).toEqual([404, "not_found"]);
  });

  test("is found by it, as runs without one are, and by what a run is", async () => {
    const dataset = await createDataset("listed");
    const { json: on } = await start({ dataset, model: "only-these", versionNumber: 2 });
    const { json: without } = await start({ model: "only-these" });
    await alice.request(`PATCH /evals/runs/${without.id}`, {
      body: { status: "completed", verdict: "pass" },
    });
    const list = async (query: string) =>
      (await alice.request(`GET /evals/runs?prompt=alice/graded&model=only-these&${query}`)).json.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await list("")).toEqual([without.id, on.id]);
    for (const query of [`dataset=${dataset}`, "version=2", "status=running"])
      expect([query, await list(query)]).toEqual([query, [on.id]]);
    for (const query of ["dataset=none", "version=1", "verdict=pass"])
      expect([query, await list(query)]).toEqual([query, [without.id]]);
  });

  test("names the case of each result that the dataset has", async () => {
    const dataset = await createDataset("with cases");
    const [{ id: caseId }] = (await addCase(dataset, "one")).json.items;
    const { json: run } = await start({ dataset });
    await append(run.id, [passed, { ...passed, index: 1, caseKey: "unknown" }]);
    const ids = async () =>
      (await alice.request(`GET /evals/runs/${run.id}/results`)).json.items.map(
        (item: { caseId: string | null }) => item.caseId,
      );
    expect(await ids()).toEqual([caseId, null]);
    await alice.request(`DELETE /evals/datasets/${dataset}`);
    expect(await ids()).toEqual([null, null]);
  });

  test("counts its cases alone once one is known by its key: others do not stand for those that are missing", async () => {
    const dataset = await createDataset("counted");
    for (const key of ["k1", "k2", "k3"]) await addCase(dataset, key);
    const casesOf = async (...results: [caseKey: string, status: string][]) => {
      const { json: run } = await start({ dataset });
      const sent = results.map(([caseKey, status], index) => ({ index, caseKey, status }));
      await append(run.id, sent);
      await alice.request(`PATCH /evals/runs/${run.id}`, { body: { status: "completed" } });
      return (await get(run.id)).summary.cases;
    };
    expect(await casesOf(["x1", "passed"], ["x2", "passed"], ["k3", "skipped"])).toBe(0);
    expect(await casesOf(["k1", "passed"], ["k2", "failed"], ["zz", "passed"])).toBe(2);
    expect(await casesOf(["x1", "passed"], ["x2", "passed"], ["x3", "skipped"])).toBe(2);
  });

  test("is pinned for it: one run a version, model and dataset", async () => {
    const dataset = await createDataset("pinned");
    const ended = async (fields: object) => {
      const { json: run } = await start({ model: "pinned", ...fields });
      await append(run.id, [passed]);
      await alice.request(`PATCH /evals/runs/${run.id}`, { body: { status: "completed", pinned: true } });
      return run.id as string;
    };
    const others = [await ended({ model: "pinned too" }), await ended({ versionNumber: 2 })];
    const runs = [await ended({}), await ended({ dataset }), await ended({}), await ended({ dataset })];
    const pinned = await Promise.all([...others, ...runs].map(async (id) => (await get(id)).pinned));
    expect(pinned).toEqual([true, true, false, false, true, true]);
  });

  test("tells webhooks which", async () => {
    const dataset = await createDataset("told");
    const { json: run } = await start({ dataset });
    await alice.request(`PATCH /evals/runs/${run.id}`, { body: { status: "completed" } });
    const [event] = await server.sql<{ body: { data: any } }[]>`
      select convert_from(body, 'UTF8')::json as body from events
      where name = 'eval.run.completed' and convert_from(body, 'UTF8') like ${`%${run.id}%`}`;
    expect(event?.body.data.run.dataset).toEqual({ id: dataset, name: "told", revision: 1 });
  });
});

describe("what others see of a run", () => {
  const results = (id: string, who: Sender) => who.request(`GET /evals/runs/${id}/results`);
  const source = { provider: "github-actions", branch: "main" };

  test("on a public dataset is its results and its source, without an account too", async () => {
    const dataset = await createDataset("open", "public");
    const fields = { dataset, source, params: { seed: 1 }, externalId: "mine" };
    const { json: run } = await start(fields);
    await append(run.id, [passed]);
    const byDataset = await bob.request(`GET /evals/runs?prompt=alice/graded&dataset=${dataset}`);
    expect(byDataset.json.items).toMatchObject([{ id: run.id }]);
    for (const who of [bob, server.nobody]) {
      expect((await results(run.id, who)).json.items).toMatchObject([{ output: "Fine" }]);
      expect(await get(run.id, who)).toMatchObject({
        dataset: { name: "open" },
        source,
        params: { seed: 1 },
        externalId: null,
      });
    }
    const etag = async () => (await bob.request(`GET /evals/runs/${run.id}`)).headers.get("etag");
    const open = await etag();
    for (const _ of [1, 2])
      await alice.request(`PATCH /evals/datasets/${dataset}`, { body: { visibility: "private" } });
    expect(await etag()).not.toBe(open);
    const audited =
      await server.sql`select data from audit_log where action = 'dataset.visibility' and target = ${dataset}`;
    expect(audited).toEqual([{ data: { from: { visibility: "public" }, to: { visibility: "private" } } }]);
    expect(codeOf(await results(run.id, bob))).toEqual([403, "forbidden"]);
    expect(await get(run.id, bob)).toMatchObject({ dataset: null, source: null });
  });

  test("on a private or deleted dataset, or without one, is its summary", async () => {
    const gone = await createDataset("gone", "public");
    const closed = await createDataset("closed");
    for (const fields of [{}, { dataset: closed }, { dataset: gone }]) {
      const { json: run } = await start({ ...fields, source });
      await append(run.id, [passed]);
      if ("dataset" in fields && fields.dataset === gone)
        await alice.request(`DELETE /evals/datasets/${gone}`);
      for (const who of [bob, server.nobody]) {
        expect(codeOf(await results(run.id, who))).toEqual([403, "forbidden"]);
        expect(await get(run.id, who)).toMatchObject({
          dataset: null,
          source: null,
          summary: { passed: 1 },
        });
      }
    }
    for (const dataset of [closed, gone]) {
      const listed = await bob.request(`GET /evals/runs?prompt=alice/graded&dataset=${dataset}`);
      expect(listed.json.items).toEqual([]);
    }
  });
});

describe("a batch that is sent again", () => {
  test("appends nothing, and changes no ETag", async () => {
    const { json: run } = await start();
    const batch = [passed, { ...passed, index: 1, caseKey: "two", score: 0.1, latencyMs: 5 }];
    expect((await append(run.id, batch)).json).toEqual({ appended: 2, total: 2 });
    const etag = async () => (await alice.request(`GET /evals/runs/${run.id}`)).headers.get("etag");
    const before = await etag();
    expect((await append(run.id, batch)).json).toEqual({ appended: 0, total: 2 });
    expect(await etag()).toBe(before);
    await append(run.id, [{ ...passed, output: "Another" }]);
    expect(await etag()).not.toBe(before);
    const changed = [
      { ...passed, output: "Another" },
      { ...batch[1], output: "Other" },
      { ...passed, index: 2, caseKey: "three" },
    ];
    expect((await append(run.id, changed as object[])).json).toEqual({ appended: 2, total: 3 });
  });

  test("is refused if the run would have more than 250,000 results", async () => {
    const { json: run } = await start();
    await server.sql`update eval_runs set total = 249999 where id = ${run.id}`;
    const two = [passed, { ...passed, index: 1, caseKey: "two" }];
    expect(codeOf(await append(run.id, two))).toEqual([409, "quota_exceeded"]);
    expect((await append(run.id, [passed])).json).toEqual({ appended: 1, total: 250_000 });
  });
});

describe("a deleted run", () => {
  test("is gone for everybody at once, and its rows soon", async () => {
    const { json: run } = await start({ externalId: "again", model: "deleted" });
    await append(run.id, [passed]);
    expect((await alice.request(`DELETE /evals/runs/${run.id}`)).status).toBe(204);
    for (const route of [`GET /evals/runs/${run.id}`, `GET /evals/runs/${run.id}/results`])
      expect(codeOf(await alice.request(route))).toEqual([404, "not_found"]);
    expect(codeOf(await append(run.id, [passed]))).toEqual([404, "not_found"]);
    const { json: page } = await alice.request("GET /evals/runs?prompt=alice/graded&model=deleted");
    expect(page.items).toEqual([]);
    await pruneRuns(server.context);
    const { count } = await server.sql`
      select from eval_runs r full join eval_results e on e.run_id = r.id where ${run.id} in (r.id, e.run_id)`;
    expect(count).toBe(0);
  });

  test("frees its external id, and leaves its prompt without evals if no other one has ended", async () => {
    await publish(alice, "once");
    const ended = async (fields: object) => {
      const { json: run } = await start({ prompt: "alice/once", ...fields });
      await alice.request(`PATCH /evals/runs/${run.id}`, { body: { status: "completed" } });
      return run.id as string;
    };
    const runs = [await ended({}), await ended({ externalId: "ci-1" })];
    await start({ prompt: "alice/once" });
    const withEvals = async () =>
      (await alice.request("GET /prompts?owner=me&hasEvals=true")).json.items.some(
        ({ slug }: { slug: string }) => slug === "once",
      );
    for (const id of runs) {
      expect(await withEvals()).toBe(true);
      await alice.request(`DELETE /evals/runs/${id}`);
    }
    expect(await withEvals()).toBe(false);
    expect((await start({ prompt: "alice/once", externalId: "ci-1" })).status).toBe(201);
  });

  test("is written into the audit log", async () => {
    const { json: run } = await start();
    await alice.request(`DELETE /evals/runs/${run.id}`);
    const rows =
      await server.sql`select actor_id from audit_log where action = 'run.delete' and target = ${run.id}`;
    expect(rows).toEqual([{ actor_id: alice.id }]);
  });
});
