import { randomUUID } from "node:crypto";
import type { PendingQuery, Row } from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contract, type GroupName, listOperations } from "@promptreg/core";
import { isThorough } from "../../core/src/testing/growth.ts";
import { alike, fresh, request, type Staging, send } from "../test/contract/requests.ts";
import { listsOf, operationScenes, unasked } from "../test/group-scenes.ts";
import {
  type Answer,
  createDatabase,
  usualConnections,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../test/harness.ts";
import { each } from "../test/scenes.ts";
import { fewRows, openPlans, type Plans } from "../test/plans.ts";
import { seedWithOldStatistics } from "../test/seed/old-statistics.ts";
import { small } from "../test/seed/registry.ts";
import { seed } from "../test/seed/seed.ts";
import { complaintsOfMoments } from "../test/statistics.ts";
import { liftLimits, TestStage } from "../test/stage.ts";
import { parseDatabaseUrl } from "./database/connection.ts";
import { groups, trends } from "./groups/index.ts";
import { moveOutbox } from "./kernel/changes/outbox.ts";
import { acquire, cancelStale, giveUp, release, take } from "./groups/webhooks/drain.sql.ts";
import { record } from "./groups/webhooks/record.sql.ts";
import { forgetFormer, openFanOut } from "./groups/webhooks/fan-out.sql.ts";
import { insertNotifications, type NewsOfEvent } from "./groups/notifications/index.ts";
import { deleteOldActivity } from "./kernel/changes/activity.sql.ts";
import { count, flushCounters } from "./kernel/changes/counters.ts";
import type { ServerGroup } from "./kernel/group.ts";
import { sweepFiles } from "./kernel/store/stored-files.ts";
import { deleteExpiredKeys } from "./kernel/operations/idempotency.ts";

let server: TestServer;
/** The same, with statistics that were made when it had a hundredth of its rows, in the long form. */
let stale: TestDatabase | undefined;
let bench: Person;
let moderator: Person;
let plans: Plans;
let stage: TestStage;
let lists: Awaited<ReturnType<typeof listsOf>>;

beforeAll(async () => {
  const database = await createDatabase();
  if (isThorough) stale = await seedWithOldStatistics(database);
  else
    await seed(parseDatabaseUrl(database.url), { ...small, prompts: small.prompts / 2 }, { checks: false });
  server = await startTestServer({ database });
  // The driver asks for types on each connection that it opens, which is no statement of ours.
  const pools = [server.context.sql, server.context.readSql];
  for (const pool of pools)
    await Promise.all(Array.from({ length: usualConnections }, () => pool`select pg_sleep(0.1)`));
  // What is due must not change while plans are compared.
  await server.setClock(new Date().toISOString());
  bench = await server.join("bench");
  moderator = await server.join("moderator", { role: "moderator" });
  plans = await openPlans({ pools, url: server.database.url });
  lists = await listsOf(server.sql);
  await liftLimits(server);
  stage = new TestStage({
    server,
    owner: await server.join("alice", { role: "moderator" }),
    viewer: await server.join("viewer"),
  });
});

afterAll(async () => {
  await plans?.close();
  await server?.stop();
  // Through the other one.
  await stale?.drop();
  await server?.database.drop();
});

/** Sends a request, and gives complaints about the plans of its statements. `hear` gets what is answered. */
const ask = (
  route: string,
  body?: object,
  { who = bench, hear }: { who?: Person; hear?: (json: Answer["json"]) => void } = {},
): Promise<string[]> =>
  plans.complaintsAbout(
    async () => {
      const { status, text, json } = await who.request(route, { body });
      expect(status < 400 || text).toBe(true);
      hear?.(json);
    },
    { runs: route.startsWith("GET ") },
  );

/** Tables that no group seeds, each with its reason. */
const unseeded: Record<string, string> = {
  contests: "an operator makes each of them",
  contest_judges: "a contest has few",
  contest_results: "a contest has one, or few",
  daily_salts: "it has two rows",
  leaderboards: "a row has a whole board, and three counts of each are kept",
  webhooks: "few accounts have any: what is done for many of them at once reads them all, and rightly so",
  audit_log: "nothing reads it",
  counter_changes: "its rows are added up every ten seconds",
  tag_changes: "its rows are added up every ten seconds",
  comment_votes: "its rows are worked off every ten seconds",
  collection_changes: "its rows are worked off every ten seconds",
  outbox: "its rows are gone within a second",
  former_slugs: "its rows are found by their primary key",
  former_handles: "its rows are found by their primary key",
  former_filters: "only the few rows that changed since a waiting event are read",
  secret_mark: "it has one row",
  replica_beats: "it has a row for each server",
  purges: "what turns private stays for a minute; a CDN that is away keeps no more than it was not told of",
  former_watches: "only the few rows that changed since a waiting event are read",
};

test("every table that grows has enough rows to make scans expensive", async () => {
  const sizes = await server.sql<{ name: string; rows: number }[]>`
    select coalesce(p.relname, c.relname)::text as name, sum(greatest(c.reltuples, 0))::int as rows
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'promptreg'::regnamespace and c.relpersistence = 'p'
    group by 1`;
  const empty = sizes
    .filter(({ name, rows }) => rows < fewRows && name !== "migrations")
    .map(({ name }) => name);
  expect(empty.sort()).toEqual(Object.keys(unseeded).sort());
  for (const parent of ["events_", "deliveries_"]) {
    expect([...plans.growing].filter((name) => name.startsWith(parent)).length).toBeGreaterThan(2);
  }
});

test("this test finds scans, and sorts of more rows than are shown", async () => {
  const bad = await openPlans({ pools: [server.sql], url: server.database.url });
  const complaintsAbout = (query: PendingQuery<Row[]>) => bad.complaintsAbout(() => query, { runs: true });
  expect(await complaintsAbout(server.sql`select count(message) from versions`)).toContainEqual(
    expect.stringContaining("scans all of versions in select"),
  );
  const byWord = server.sql`
    select v.id from versions v join prompts p on p.id = v.prompt_id where p.slug = 'large' order by v.message limit 30`;
  expect(await complaintsAbout(byWord)).toContainEqual(expect.stringContaining("goes through 2500 rows"));
  await bad.close();
});

test("every list of the contract is tested with every filter", () => {
  expect(unasked(lists)).toEqual([]);
});

const listed = Object.keys(operationScenes).filter((id) => operationScenes[id]?.list);

for (const id of listed)
  test(`${id} reads few more rows than it shows`, alike({ id }, 0), async () => {
    const { path, queries, moderated = [] } = lists[id]!;
    const asked = [
      ...queries.map((query) => [query, bench] as const),
      ...moderated.map((query) => [query, moderator] as const),
    ];
    for (const [query, who] of asked) {
      const route = `GET ${path}?${query}`;
      const page = { nextCursor: null as string | null };
      const complaints = await ask(route, undefined, { who, hear: (json) => Object.assign(page, json) });
      if (page.nextCursor !== null)
        complaints.push(...(await ask(`${route}&cursor=${page.nextCursor}`, undefined, { who })));
      expect({ route, complaints }).toEqual({ route, complaints: [] });
    }
  });

const prompt = "/prompts/bench/large";

test.each([
  "/me",
  "/notifications/count",
  prompt,
  `${prompt}?view=version&label=production`,
  `${prompt}?version=7`,
  `${prompt}/versions/7`,
  `${prompt}/raw`,
  ...each(`${prompt}/download?format`, "zip promptfoo"),
  `${prompt}/download?format=promptfoo&dataset=Set+2`,
  `${prompt}/installs`,
  // It has no pages.
  ...each("/prompts?view=changes&owner", "me bench bench&label=production"),
  ...each("/search/suggest?q", "t task board-1234 bench/la repotr xyzzy"),
  "/tags/check-1500",
  ...each("/leaderboards/creators?window", "7d all"),
  ...each("/leaderboards/makes?tag", "ai"),
  ...each("/leaderboards/evals?window", "7d"),
])("GET %s scans no table that grows", async (path) => {
  expect(await ask(`GET ${path}`)).toEqual([]);
});

test("serving media scans no table that grows", async () => {
  const [{ id } = { id: "" }] = await server.sql<{ id: string }[]>`
    select id from media where status = 'ready' order by id desc limit 1`;
  // The store has nothing of what is only in the database.
  const ask = () => Promise.all(["", "/thumbnail"].map((part) => fetch(`${server.url}/media/${id}${part}`)));
  expect(await plans.complaintsAbout(ask, { runs: true })).toEqual([]);
});

test("writes scan no table that grows", async () => {
  const content = "Written to see how.";
  const files = [{ path: "PROMPT.md", content }];
  const created = { kind: "text", slug: "planned", title: "Planned" };
  expect(await ask("POST /prompts", { ...created, files })).toEqual([]);
  expect(await ask(`POST ${prompt}/versions`, { files })).toEqual([]);
  expect(await ask(`PUT ${prompt}/labels/stage-1`, { versionNumber: 1 })).toEqual([]);
  expect(await ask(`DELETE ${prompt}/labels/stage-1`)).toEqual([]);
  expect(await ask(`POST ${prompt}/forks`, { slug: "planned-fork" })).toEqual([]);
  const changed = [{ path: "PROMPT.md", content: "Written otherwise." }];
  expect(await ask("POST /prompts/bench/planned-fork/versions", { files: changed })).toEqual([]);
  const proposal = { source: { ref: "bench/planned-fork" }, title: "Planned" };
  expect(await ask(`POST ${prompt}/change-requests`, proposal)).toEqual([]);
  const [request] = (await bench.request(`GET ${prompt}/change-requests`)).json.items;
  const path = `${prompt}/change-requests/${request.n}`;
  expect(await ask(`PATCH ${path}`, { title: "Planned again", versionNumber: 2 })).toEqual([]);
  expect(await ask(`POST ${path}/merge`, { strategy: "theirs" })).toEqual([]);
  const run = { prompt: "bench/large", versionNumber: 1, model: "model-1", externalId: "planned" };
  expect(await ask("POST /evals/runs", run)).toEqual([]);
  const [{ id } = { id: "" }] = await server.sql`select id from eval_runs where external_id = 'planned'`;
  expect(
    await ask(`POST /evals/runs/${id}/results`, { results: [{ caseKey: "a", index: 0, status: "passed" }] }),
  ).toEqual([]);
  const [large] = await server.sql`
    update eval_runs r set status = 'running' from (select run_id as id from eval_results group by 1 order by count(*) desc limit 1) l
    where r.id = l.id returning r.id`;
  const results = Array.from({ length: 100 }, (_, index) => ({
    caseKey: `case-${index}`,
    index,
    status: "failed",
  }));
  expect(await ask(`POST /evals/runs/${large?.["id"]}/results`, { results })).toEqual([]);
  expect(await ask("POST /notifications/read", { all: true, before: "2000-01-01T00:00:00Z" })).toEqual([]);
  const [one] = (await bench.request("GET /notifications")).json.items;
  expect(await ask("POST /notifications/read", { ids: [one.id], read: false })).toEqual([]);
  expect(await ask(`PATCH /evals/runs/${id}`, { status: "completed", pinned: true })).toEqual([]);
});

test("the worker scans no table that grows, for each minute, event and delivery", {
  tags: "long",
}, async () => {
  const { sql } = server.context;
  const [event] = await sql<NewsOfEvent[]>`
    select id, name, prompt_id as "promptId", iso(created_at) as "createdAt", convert_from(body, 'UTF8')::json -> 'data' as data
    from events where fanned_out_at is null order by id limit 1`;
  await sql`insert into outbox (task, payload) values ('withdraw', '{"promptId":"none"}')`;
  // What an upgrade leaves to do.
  await sql`update versions set text_hash = null where id in (select id from versions order by id desc limit 2000)`;
  await sql`update search_documents set making = 1 where id in (select id from search_documents order by id desc limit 100)`;
  await sql`update change_requests set body_renderer = 0 where body is not null and n = 1`;
  await sql`update comments set body_renderer = 0 where id in (select id from comments order by id desc limit 100)`;
  const [{ promptId } = { promptId: "" }] = await sql<{ promptId: string }[]>`
    select id as "promptId" from prompts where slug = 'large'`;
  await sql`insert into collection_changes (target_id) values (${promptId})`;
  await sql`insert into comment_votes (comment_id) select id from comments order by id desc limit 1000`;
  const [{ webhookId } = { webhookId: "" }] = await sql<{ webhookId: string }[]>`
    update deliveries set next_attempt_at = clock() where status = 'pending' returning webhook_id as "webhookId"`;
  const lease = { webhookId, token: randomUUID() };
  const outcome = {
    ok: true,
    responseStatus: 200,
    responseTimeMs: 1,
    responseExcerpt: Buffer.from("Thanks."),
    error: null,
  };
  const readers = await sql<{ id: string }[]>`select id from users order by id limit 1000`;
  const context = {
    ...server.context,
    mailer: { isBusy: false, check: async () => {}, send: async () => null },
  };
  const [mailed = { noticeId: "", userId: "" }] = await sql<{ noticeId: string; userId: string }[]>`
    select notice_id as "noticeId", user_id as "userId" from notifications limit 1`;
  const [version] = await sql<
    { id: string }[]
  >`select id from versions where prompt_id = ${promptId} limit 1`;
  const about = { id: "prm_1", ref: "bench/large", url: "http://127.0.0.1/bench/large" };
  const notice = { id: "ntf_1", type: "prompt.forked", userId: mailed.userId, subjectId: promptId };
  /** What a job is given, or where its statements run instead. */
  const jobs: Record<string, object | string> = {
    fan_out: "above",
    drain: "by its statements, since nobody receives",
    withdraw: { promptId },
    purge_webhook: { webhookId },
    notify: {
      ...notice,
      createdAt: new Date().toISOString(),
      data: { prompt: about, actor: null, fork: about },
    },
    "contest-changed": {
      id: "ntf_2",
      userId: mailed.userId,
      createdAt: new Date().toISOString(),
      contest: { slug: "winter", title: "Winter", rank: 1, changed: { reason: "", isDisqualified: false } },
    },
    mail: mailed,
    digest: { userId: mailed.userId, since: new Date(0).toISOString(), until: new Date().toISOString() },
    work_on_imports: "by the sweep of its group",
    process_media: "by the sweep of its group",
  };
  const work = async () => {
    await moveOutbox(sql);
    const fanOut = openFanOut(context, async () => {});
    await fanOut({ isComplete: false });
    await fanOut({ isComplete: true });
    await insertNotifications(sql, context, [{ ...event!, userIds: readers.map(({ id }) => id) }]);
    expect(await acquire(sql, lease)).not.toBeNull();
    const due = await take(sql, lease, { limit: 15, except: [], withTests: true });
    expect(due.length).toBeGreaterThan(0);
    await record(
      context,
      lease,
      due.map((delivery) => ({ delivery, outcome, startedAt: performance.now() })),
    );
    await cancelStale(sql, webhookId);
    await giveUp(sql, webhookId, due);
    await forgetFormer(sql);
    await release(sql, lease, { waitsHere: false });
    await count(sql, { subjectId: promptId, name: "watchers", delta: 1 });
    await flushCounters(sql);
    // What requests noted is counted by the process that serves them.
    for (const { id } of readers.slice(0, 100))
      context.activity.note(
        { act: "open", subject: { id: promptId, ownerId: "" }, versionId: version!.id, target: `tool-${id}` },
        { caller: { id }, network: "", userAgent: undefined, referrer: "https://a.example/" },
      );
    await context.activity.flush();
    await deleteExpiredKeys(sql);
    await deleteOldActivity(sql);
    await sweepFiles(context);
    for (const { work } of Object.values<Pick<ServerGroup<GroupName>, "work">>(groups)) {
      const done = work?.(context, { trends });
      for (const [name, run] of Object.entries(done?.tasks ?? {})) {
        const given = jobs[name] ?? expect.fail(`give the job ${name} something to do`);
        if (typeof given === "object") await run(given as never);
      }
      await done?.everyMinute?.();
      await done?.hourly?.();
      await done?.sweep?.();
      await done?.stop?.();
    }
  };
  expect(await plans.complaintsAbout(work, { runs: false, by: "worker" })).toEqual([]);
  // As before, for plans that are made with other statistics.
  await sql`update events set fanned_out_at = null where id = ${event!.id}`;
});

test("a webhook with nearly all waiting deliveries does not slow down another one", {
  tags: "long",
}, async () => {
  const { sql } = server.context;
  const webhooks = await sql<{ id: string }[]>`
    insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint)
    select ${bench.id}, 'http://127.0.0.1:1/', '', '', '' from generate_series(1, 2) returning id`;
  const [full, other] = webhooks.map(({ id }) => id);
  await sql`update deliveries set status = 'cancelled', completed_at = clock() where status = 'pending'`;
  for (const [webhookId, count] of [[full, 10_000] as const, [other, 1] as const]) {
    await sql`
      insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
      select (clock() at time zone 'UTC')::date, day, id, name, ${webhookId ?? ""}, 0, clock()
      from events order by day desc limit ${count}`;
  }
  await sql`vacuum analyze deliveries`;
  const lease = { webhookId: other ?? "", token: randomUUID() };
  const work = async () => {
    expect(await acquire(sql, lease)).not.toBeNull();
    expect(await take(sql, lease, { limit: 15, except: [], withTests: true })).toHaveLength(1);
    await release(sql, lease, { waitsHere: false });
  };
  expect(await plans.complaintsAbout(work, { runs: true })).toEqual([]);
});

const subjects = listOperations(contract).map(
  ({ id, operation }): Staging => ({
    id,
    operation,
    get stage() {
      return stage;
    },
  }),
);

for (const subject of subjects)
  test(`${subject.id} scans no table that grows`, alike(subject, 1), async () => {
    const parts = request(subject, await fresh(subject));
    const ask = async () => {
      const { status, text } = await send(subject, stage.owner, parts);
      expect(status < 400 || text).toBe(true);
    };
    expect(await plans.complaintsAbout(ask, { runs: false })).toEqual([]);
  });

// The long form is `npm run prove -- thorough plans`.
test.runIf(isThorough)(
  "no statement reads much more than today, whatever statistics there are",
  async () => {
    const urls = { today: server.database.url, stale: stale?.url ?? "" };
    expect(await complaintsOfMoments(plans.remembered(), urls)).toEqual([]);
  },
  600_000,
);
