import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { codeOf, pagesOf, type Sender } from "../../../test/requests.ts";
import { timeOutRuns } from "./time-out.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  await publish(alice, "graded");
});
afterAll(() => server.stop());

async function start(slug: string, fields: object = {}): Promise<string> {
  const body = { prompt: `alice/${slug}`, versionNumber: 1, model: "m", ...fields };
  return (await alice.request("POST /evals/runs", { body })).json.id;
}
const append = (id: string, results: object[]) =>
  alice.request(`POST /evals/runs/${id}/results`, { body: { results } });
const update = (id: string, body: object, headers: Record<string, string> = {}) =>
  alice.request(`PATCH /evals/runs/${id}`, { body, headers });
const get = (id: string, who: Sender = alice) => who.request(`GET /evals/runs/${id}`);
const list = (query: string, who: Sender = alice) => who.request(`GET /evals/runs?${query}`);
const idsOf = ({ json }: Answer): string[] => json.items.map(({ id }: { id: string }) => id);
const passed = (caseKey: string) => ({ index: 0, caseKey, status: "passed" });

describe("reading a run", () => {
  test("gives what its reporter got", async () => {
    const id = await start("graded", { params: { temperature: 0 }, externalId: "read" });
    await append(id, [{ ...passed("a"), score: 0.5, latencyMs: 100 }]);
    const { json } = await update(id, { status: "completed" });
    expect((await get(id)).json).toEqual(json);
  });

  test("while it is running gives its summary so far, without latencies", async () => {
    const id = await start("graded");
    await append(id, [{ ...passed("a"), score: 0.5, latencyMs: 100, inputTokens: 3, costUsd: 0.1 }]);
    await append(id, [{ index: 1, caseKey: "b", status: "failed", score: 1, outputTokens: 4, costUsd: 0.2 }]);
    expect((await get(id)).json.summary).toEqual({
      total: 2,
      passed: 1,
      failed: 1,
      errored: 0,
      skipped: 0,
      cases: null,
      passRate: 0.5,
      score: 0.75,
      latencyMsP50: null,
      latencyMsP95: null,
      inputTokens: 3,
      outputTokens: 4,
      costUsd: 0.3,
    });
  });

  test("shows source and error only to the prompt's owner, and parameters to everybody", async () => {
    const details = {
      source: { tool: "ci", branch: "secret-feature" },
      params: { temperature: 0.5 },
      externalId: "secret-build",
    };
    const id = await start("graded", details);
    await update(id, { status: "failed", error: "The secret key was refused." });
    const own = { ...details, error: "The secret key was refused." };
    const others = { params: { temperature: 0.5 }, source: null, externalId: null, error: null };
    expect((await get(id)).json).toMatchObject(own);
    for (const who of [bob, server.nobody]) {
      const { status, json, text, headers } = await get(id, who);
      expect([status, json]).toMatchObject([200, others]);
      expect(text).not.toContain("secret");
      expect(headers.get("etag")).not.toBe((await get(id)).headers.get("etag"));
      expect((await list("prompt=alice/graded&limit=1", who)).json.items).toMatchObject([{ id, ...others }]);
    }
    expect((await list("prompt=alice/graded&limit=1")).json.items).toMatchObject([{ id, ...own }]);
  });

  test("gives an ETag that changes with every change, and If-Match of an update compares it", async () => {
    const etags = new Set<string>();
    const etagOf = async (id: string) => {
      const etag = (await get(id)).headers.get("etag") ?? "";
      expect(etag).toMatch(/^W\/"\d+\..+"$/);
      etags.add(etag);
      return etag;
    };
    const id = await start("graded", { model: "tagged" });
    const first = await etagOf(id);
    await append(id, [passed("a")]);
    expect(codeOf(await update(id, { status: "completed" }, { "if-match": first }))).toEqual([
      412,
      "precondition_failed",
    ]);
    expect((await get(id)).json.status).toBe("running");
    const appended = await etagOf(id);
    expect((await update(id, { status: "completed" }, { "if-match": appended })).status).toBe(200);
    const ended = await etagOf(id);
    expect((await update(id, { pinned: true }, { "if-match": ended })).status).toBe(200);
    await etagOf(id);
    const rival = await start("graded", { model: "tagged" });
    await update(rival, { status: "failed", verdict: "fail", pinned: true });
    await etagOf(id);
    expect(etags.size).toBe(5);
  });

  test("gives the same ETag after an update without a change", async () => {
    const id = await start("graded");
    await update(id, { status: "completed", verdict: "pass" });
    const { headers } = await get(id);
    await update(id, { status: "completed", verdict: "pass", pinned: false });
    expect((await get(id)).headers.get("etag")).toBe(headers.get("etag"));
  });

  test("gives another ETag after the prompt is renamed", async () => {
    await publish(alice, "before");
    const id = await start("before");
    const { headers } = await get(id);
    await server.sql`update prompts set slug = 'after' where slug = 'before'`;
    expect((await get(id)).headers.get("etag")).not.toBe(headers.get("etag"));
  });

  test("needs only the address for an unlisted prompt, and is the owner's for a private one", async () => {
    await publish(alice, "unlisted", { visibility: "unlisted" });
    expect((await get(await start("unlisted"), server.nobody)).status).toBe(200);
    await publish(alice, "private", { visibility: "private" });
    const id = await start("private");
    expect((await get(id)).status).toBe(200);
    for (const who of [bob, server.nobody]) {
      expect(codeOf(await get(id, who))).toEqual([404, "not_found"]);
      expect(codeOf(await list("prompt=alice/private", who))).toEqual([404, "not_found"]);
    }
  });
});

describe("a prompt", () => {
  const hasEvals = async (slug: string) => {
    const rows = await server.sql<
      { has: boolean }[]
    >`select has_evals as has from prompts where slug = ${slug}`;
    return rows[0]?.has;
  };

  test.each(["completed", "failed"])("has evals once a run has %s", async (status) => {
    await publish(alice, status);
    const id = await start(status);
    await append(id, [passed("a")]);
    expect(await hasEvals(status)).toBe(false);
    await update(id, { status });
    expect(await hasEvals(status)).toBe(true);
  });

  test("has evals once a run timed out after a day", async () => {
    await publish(alice, "silent");
    const id = await start("silent");
    const { headers } = await get(id);
    await server.sql`update eval_runs set heard_at = clock() - interval '25 hours' where id = ${id}`;
    await timeOutRuns(server.context);
    expect(await hasEvals("silent")).toBe(true);
    const after = await get(id);
    expect(after.json).toMatchObject({ status: "failed", error: "timed_out" });
    const revisionOf = (etag: string | null) => etag?.split(".")[0];
    expect(revisionOf(after.headers.get("etag"))).not.toBe(revisionOf(headers.get("etag")));
  });
});

describe("the runs of a prompt", () => {
  let ids: string[];

  beforeAll(async () => {
    await publish(alice, "many");
    await alice.request("POST /prompts/alice/many/versions", {
      body: { files: filesOf("two") },
    });
    ids = [
      await start("many"),
      await start("many", { versionNumber: 2 }),
      await start("many", { model: "other" }),
      await start("many", { versionNumber: 2, model: "other" }),
      await start("many"),
    ];
    await update(ids[0] ?? "", { status: "completed", verdict: "pass" });
    await update(ids[1] ?? "", { status: "completed", verdict: "fail" });
    await update(ids[2] ?? "", { status: "failed", error: "no key" });
    // Ids of one millisecond have a random order. The list has the highest id first.
    ids.sort((a, b) => (a < b ? 1 : -1));
  });

  test("are listed newest first, for everybody who sees the prompt", async () => {
    expect(idsOf(await list("prompt=alice/many"))).toEqual(ids);
    expect(idsOf(await list("prompt=alice/many", server.nobody))).toEqual(ids);
    const times = (await list("prompt=alice/many")).json.items.map(
      ({ createdAt }: { createdAt: string }) => createdAt,
    );
    expect(times).toEqual([...times].sort().reverse());
  });

  test("come in pages without repeats and gaps, even if new ones begin meanwhile", async () => {
    await publish(alice, "paged");
    for (let i = 0; i < 5; i++) await start("paged");
    const whole = idsOf(await list("prompt=alice/paged"));
    const pages = await pagesOf(alice, "GET /evals/runs?prompt=alice/paged&limit=2", () => start("paged"));
    expect(pages.flatMap(idsOf)).toEqual(whole);
  });

  test.each([
    ["version=2", 2],
    ["version=3", 0],
    ["model=other", 2],
    ["model=other&version=2", 1],
    ["model=nobody", 0],
    ["status=running", 2],
    ["status=completed", 2],
    ["status=failed", 1],
    ["verdict=pass", 1],
    ["verdict=fail", 1],
    ["verdict=fail&status=failed", 0],
  ])("can be filtered by %s", async (filters, count) => {
    const { json } = await list(`prompt=alice/many&${filters}`);
    expect(json.items.length).toBe(count);
    const wanted = Object.fromEntries(new URLSearchParams(filters.replace("version=", "versionNumber=")));
    for (const run of json.items) {
      const shown = Object.fromEntries(Object.keys(wanted).map((name) => [name, String(run[name])]));
      expect(shown).toEqual(wanted);
    }
  });

  test.each([
    ["", 422, "validation_failed"],
    ["prompt=many", 422, "validation_failed"],
    ["prompt=alice/none", 404, "not_found"],
    ["prompt=alice/many&version=0", 422, "validation_failed"],
    ["prompt=alice/many&model=", 422, "validation_failed"],
    ["prompt=alice/many&status=ended", 422, "validation_failed"],
    ["prompt=alice/many&verdict=null", 422, "validation_failed"],
    ["prompt=alice/many&limit=101", 422, "validation_failed"],
    ["prompt=alice/many&cursor=nonsense", 400, "invalid_cursor"],
  ])("are not listed for ?%s", async (query, status, code) => {
    expect(codeOf(await list(query))).toEqual([status, code]);
  });

  test("accept a cursor only with the same filters and in the same list", async () => {
    const { nextCursor } = (await list("prompt=alice/many&limit=1&model=m")).json;
    expect((await list(`prompt=alice/many&limit=2&model=m&cursor=${nextCursor}`)).status).toBe(200);
    const elsewhere = await alice.request(`GET /evals/runs/${ids[0]}/results?cursor=${nextCursor}`);
    for (const answer of [await list(`prompt=alice/many&limit=1&cursor=${nextCursor}`), elsewhere]) {
      expect(codeOf(answer)).toEqual([400, "invalid_cursor"]);
    }
  });

  test("with long params fill a page before its limit", { tags: "long" }, async () => {
    await publish(alice, "long");
    const params = { tools: "x".repeat(1_000_000) };
    for (let i = 0; i < 10; i++) await start("long", { params });
    const first = await list("prompt=alice/long");
    const second = await list(`prompt=alice/long&cursor=${first.json.nextCursor}`);
    expect([first.json.items.length, second.json.items.length, second.json.nextCursor]).toEqual([9, 1, null]);
    expect(first.text.length).toBeLessThan(10_000_000);
  });
});
