import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { trends } from "../index.ts";
import { computeBoards } from "./compute.ts";
import { evaluate, reportRun } from "./scenes.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice", { scopes: ["read", "write", "evals:write"] });
  bob = await server.join("bob");
  // Of equal scores the older is first.
  for (const slug of ["a", "b", "c", "d"]) {
    await waitAnHour();
    await publish(alice, slug);
  }
});
afterAll(() => server.stop());

let now = Date.parse("2030-01-01T00:00:00Z");
const waitAnHour = () => server.setClock(new Date((now += 3_600_000)).toISOString());
const count = async () => {
  await waitAnHour();
  await computeBoards(server.context, trends);
};

const star = (slug: string) => done(bob, `POST /prompts/alice/${slug}/star`);
const unstar = (slug: string) => bob.request(`DELETE /prompts/alice/${slug}/star`);
const get = (query: string) => server.anonymous(`GET /leaderboards/${query}`);
const slugsOf = async (query: string): Promise<string[]> =>
  (await get(query)).json.items.map(({ entity }: any) => (entity.prompt ?? entity).slug);

describe("a count", () => {
  test("is made once, however many workers want it at once or within half an hour", async () => {
    await star("a");
    const rows = () => server.sql`select distinct computed_at from leaderboards`;
    await Promise.all([1, 2, 3].map(() => computeBoards(server.context, trends)));
    expect(await rows()).toHaveLength(1);
    await computeBoards(server.context, trends);
    expect(await rows()).toHaveLength(1);
    expect(await server.sql`select from leaderboards`).toHaveLength(16);
    expect(await server.sql`select from leaderboard_scores`).toHaveLength(0);
  });

  test("is made again after half an hour, and not before", async () => {
    const counted = async (afterMs: number) => {
      await server.setClock(new Date(now + afterMs).toISOString());
      await computeBoards(server.context, trends);
      return (await server.sql`select distinct computed_at from leaderboards`).count;
    };
    const usual = await counted(0);
    expect([await counted(30 * 60_000 - 1), await counted(30 * 60_000)]).toEqual([usual, usual + 1]);
    await server.sql`delete from leaderboards where computed_at = ${new Date(now + 30 * 60_000).toISOString()}::timestamptz`;
  });

  test("that breaks off leaves nothing, and the next one counts", async () => {
    await waitAnHour();
    const broken = {
      weight: 3,
      acts: (sql: any) => sql`select (1 / 0)::text as prompt_id, '' as user_id, clock() as at`,
    };
    await expect(computeBoards(server.context, [broken])).rejects.toThrow("division by zero");
    expect(await server.sql`select from leaderboards`).toHaveLength(16);
    await computeBoards(server.context, trends);
    expect(await server.sql`select from leaderboards`).toHaveLength(32);
    expect((await get("prompts")).json.items).toMatchObject([{ rank: 1, previousRank: 1, score: 3 }]);
  });

  test("keeps a thousand of a board, and three counts", { tags: "long" }, async () => {
    await server.sql`
      insert into prompts (owner_id, slug, kind, title, tags, visibility, status, published_at, rating)
      select ${alice.id}, 'many-' || nth, 'text', 'Many', '{}', 'public', 'published', clock(), 'general' from generate_series(1, 1200) nth`;
    await server.sql`
      insert into stars (prompt_id, user_id, kind) select id, ${bob.id}, 'text' from prompts where slug like 'many-%'`;
    for (const _ of [1, 2, 3]) await count();
    const sizes = await server.sql`
      select cardinality(target_ids) as size from leaderboards where board = 'prompts' and span = '7d'`;
    expect(sizes.map(({ size }) => size)).toEqual([1000, 1000, 1000]);
    expect((await get("creators")).json.items).toMatchObject([{ score: 3 * 1201 }]);
    await server.sql`delete from stars where prompt_id in (select id from prompts where slug like 'many-%')`;
    await server.sql`delete from prompts where slug like 'many-%'`;
  });
});

describe("pages", () => {
  test("are of one count, whatever is counted and hidden between them, as long as it is kept", async () => {
    for (const slug of ["b", "c", "d"]) await star(slug);
    await count();
    const first = (await get("prompts?limit=2")).json;
    expect(first.items.map(({ entity }: any) => entity.slug)).toEqual(["a", "b"]);
    const rest = () => get(`prompts?limit=2&cursor=${first.nextCursor}`);
    // The order is another one now, and what the cursor names is gone.
    for (const slug of ["a", "b"]) await unstar(slug);
    await done(alice, "PATCH /prompts/alice/b", { visibility: "private" });
    await count();
    expect(await slugsOf("prompts")).toEqual(["c", "d"]);
    const { json } = await rest();
    expect(json.items.map(({ rank, entity }: any) => [rank, entity.slug])).toEqual([
      [2, "c"],
      [3, "d"],
    ]);
    expect([json.computedAt, json.nextCursor]).toEqual([first.computedAt, null]);
    await count();
    expect(codeOf(await rest())).toEqual([400, "invalid_cursor"]);
    const other = await get(`prompts?limit=2&window=all&cursor=${first.nextCursor}`);
    expect(codeOf(other)).toEqual([400, "invalid_cursor"]);
  });
});

describe("the board of evals", () => {
  const thing = (slug: string) => ({ params: {}, address: `alice/${slug}` });
  const scores = async () =>
    (await get("evals")).json.items.map(({ score, entity }: any) => [
      entity.prompt.slug,
      score,
      entity.run.id,
    ]);

  test("has the best run of each prompt that everybody may check", async () => {
    const half = await evaluate({ owner: alice }, thing("c"), 10);
    const best = await evaluate({ owner: alice }, thing("c"), 19);
    const all = await evaluate({ owner: alice }, thing("d"), 20);
    await count();
    expect(await scores()).toEqual([
      ["d", 1, all],
      ["c", 0.95, best],
    ]);
    const { json: run } = await alice.request(`GET /evals/runs/${best}`);
    await done(alice, `PATCH /evals/datasets/${run.dataset.id}`, { visibility: "private" });
    expect(await scores()).toEqual([["d", 1, all]]);
    await count();
    expect(await scores()).toEqual([
      ["d", 1, all],
      ["c", 0.5, half],
    ]);
    await done(alice, "POST /prompts/alice/d/versions", {
      files: [{ path: "PROMPT.md", content: "Better" }],
    });
    await done(alice, "POST /prompts/alice/d/versions/1/yank", { reason: "Broken" });
    expect(await scores()).toEqual([["c", 0.5, half]]);
  });

  test("has no run of fewer than twenty cases, and only the latest of a version, model and dataset", async () => {
    const [run] = await server.sql`
      select dataset_id, version_n from eval_runs r join prompts p on p.id = r.prompt_id
        join eval_datasets d on d.id = r.dataset_id and d.visibility = 'public'
      where p.slug = 'c'`;
    const datasetId = run?.["dataset_id"];
    await reportRun({ owner: alice }, { address: "alice/c", datasetId, passed: 19, cases: 19 });
    // Nor one that nothing passed.
    await evaluate({ owner: alice }, thing("a"), 0);
    await count();
    expect(await scores()).toEqual([]);
  });

  test("prefers more cases at the same rate, among the runs of a prompt and among prompts, then the latest", async () => {
    await evaluate({ owner: alice }, thing("c"), 21, 21);
    await waitAnHour();
    const more = await evaluate({ owner: alice }, thing("c"), 21, 21);
    await evaluate({ owner: alice }, thing("c"), 20, 20);
    const other = await evaluate({ owner: alice }, thing("a"), 20, 20);
    await count();
    expect(await scores()).toEqual([
      ["c", 1, more],
      ["a", 1, other],
    ]);
    const filtered = await Promise.all(
      ["kind=text", "kind=skill", "tag=poem"].map((by) => slugsOf(`evals?${by}`)),
    );
    expect(filtered).toEqual([["c", "a"], [], []]);
    // All finished at one time, an hour ago. At the end of the last hour of a window, exactly, they leave it.
    const windowed = async (hours: number) => {
      now += hours * 3_600_000;
      await count();
      return slugsOf("evals?window=24h");
    };
    expect([await windowed(21.5), await windowed(-0.5)]).toEqual([["c", "a"], []]);
  });

  test("has no run that is deleted, or whose dataset is, and then counts the one before", async () => {
    await publish(alice, "e");
    const earlier = await evaluate({ owner: alice }, thing("e"));
    const { dataset } = await done(alice, `GET /evals/runs/${earlier}`);
    const run = { address: "alice/e", datasetId: dataset.id, passed: 19, cases: 20 };
    await waitAnHour();
    const later = await reportRun({ owner: alice }, run);
    // One that still runs hides neither.
    await done(alice, "POST /evals/runs", {
      prompt: "alice/e",
      versionNumber: 1,
      model: "m",
      dataset: dataset.id,
    });
    const runOfE = async () => (await scores()).find(([slug]: string[]) => slug === "e")?.[2];
    await count();
    expect(await runOfE()).toBe(later);
    await done(alice, `DELETE /evals/runs/${later}`);
    expect(await runOfE()).toBeUndefined();
    await count();
    expect(await runOfE()).toBe(earlier);
    await done(alice, `DELETE /evals/datasets/${dataset.id}`);
    expect(await runOfE()).toBeUndefined();
  });

  test("has nothing of whoever was suspended when it was counted, as no board has", async () => {
    const make = { title: "A bot", slug: "a-bot", body: "It greets", publish: true };
    await done(alice, "POST /makes", make);
    await done(bob, "POST /makes/a-bot/star");
    const sizes = async () => [
      (await scores()).length,
      (await slugsOf("makes")).length,
      (await slugsOf("creators")).length,
    ];
    await server.sql`update users set suspended_at = clock() where id = ${alice.id}`;
    await count();
    await server.sql`update users set suspended_at = null where id = ${alice.id}`;
    expect(await sizes()).toEqual([0, 0, 0]);
    await count();
    expect(await sizes()).toEqual([2, 1, 1]);
  });
});
