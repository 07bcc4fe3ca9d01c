import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { codeOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;

beforeAll(async () => {
  server = await startTestServer();
  [alice, bob, carol] = [await server.join("alice"), await server.join("bob"), await server.join("carol")];
  await server.setClock("2030-03-06T12:00:00Z");
});
afterAll(() => server.stop());

const read = async (path: string, who: Sender = alice) => {
  await server.context.activity.flush();
  await server.workOff();
  return who.request(`GET ${path}`);
};
const ofPrompt = async (slug: string, query = "") =>
  (await read(`/prompts/alice/${slug}/analytics${query}`)).json;
const nothing = {
  views: 0,
  uniqueViews: 0,
  rawReads: 0,
  downloads: 0,
  installs: 0,
  opens: 0,
  stars: 0,
  forks: 0,
  comments: 0,
};
const crawler = {
  "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
};

describe("what counts", () => {
  /** What a request adds to the figures of a prompt. */
  async function added(slug: string, act: (path: string) => PromiseLike<unknown>) {
    const before = (await ofPrompt(slug)).totals;
    await act(`/prompts/alice/${slug}`);
    const { totals } = await ofPrompt(slug);
    return Object.fromEntries(
      Object.entries(totals as Record<string, number>)
        .map(([name, value]) => [name, value - before[name]])
        .filter(([, value]) => value !== 0),
    );
  }

  beforeAll(async () => {
    await publish(alice, "counted");
  });

  test.each<[string, object, (path: string) => PromiseLike<unknown>]>([
    ["a read of its description", { views: 1, uniqueViews: 1 }, (path) => bob.request(`GET ${path}`)],
    ["another one of the same viewer", { views: 1 }, (path) => bob.request(`GET ${path}?version=1`)],
    ["one of another viewer", { views: 1, uniqueViews: 1 }, (path) => carol.request(`GET ${path}`)],
    ["one without a token", { views: 1, uniqueViews: 1 }, (path) => server.anonymous(`GET ${path}`)],
    ["a read of the owner", {}, (path) => alice.request(`GET ${path}`)],
    ["a read of a bot", {}, (path) => server.anonymous(`GET ${path}`, { headers: crawler })],
    [
      "a read of somebody whose program calls itself a bot",
      { views: 1 },
      (path) => bob.request(`GET ${path}`, { headers: crawler }),
    ],
    ["HEAD", {}, (path) => server.anonymous(`HEAD ${path}`)],
    ["a read of an application", { rawReads: 1 }, (path) => bob.request(`GET ${path}?view=version`)],
    ["a read of its text", { rawReads: 1 }, (path) => server.anonymous(`GET ${path}/raw`)],
    ["a read of a file", { rawReads: 1 }, (path) => server.anonymous(`GET ${path}/raw/PROMPT.md`)],
    [
      "a page of versions with it",
      { rawReads: 1 },
      () => bob.request("GET /prompts?view=version&owner=alice&label=latest"),
    ],
    ["a list with it", {}, () => bob.request("GET /prompts?owner=alice")],
    ["a download", { downloads: 1 }, (path) => bob.request(`GET ${path}/download`)],
    ["the same in another format", {}, (path) => bob.request(`GET ${path}/download?format=markdown`)],
    ["HEAD of a download", {}, (path) => server.anonymous(`HEAD ${path}/download`)],
    ["a link to a tool", { opens: 1 }, (path) => bob.request(`GET ${path}/open-in/claude`)],
    [
      "an install",
      { installs: 1 },
      (path) =>
        bob.request(`POST ${path}/installs`, { body: { target: "cursor-rule", installationId: "one" } }),
    ],
    [
      "the same install",
      {},
      (path) =>
        bob.request(`POST ${path}/installs`, { body: { target: "cursor-rule", installationId: "one" } }),
    ],
    [
      "an install of the owner",
      {},
      (path) => alice.request(`POST ${path}/installs`, { body: { target: "x", installationId: "own" } }),
    ],
    ["a star", { stars: 1 }, (path) => bob.request(`POST ${path}/star`)],
    ["a star that is taken back", { stars: -1 }, (path) => bob.request(`DELETE ${path}/star`)],
    [
      "a public fork",
      { forks: 1 },
      (path) => bob.request(`POST ${path}/forks`, { body: { visibility: "public" } }),
    ],
    [
      "a comment",
      { comments: 1 },
      () =>
        bob.request("POST /comments", {
          body: { target: { type: "prompt", id: "alice/counted" }, body: "Good" },
        }),
    ],
    ["a prompt that nobody finds", {}, () => bob.request("GET /prompts/alice/nowhere")],
  ])("%s adds %o", async (_, expected, act) => {
    expect(await added("counted", act)).toEqual(expected);
  });

  test("a 304 counts nothing, and neither does a wait that ends without a change", async () => {
    const path = "GET /prompts/alice/counted";
    for (const view of ["", "?view=version", "/raw"]) {
      const { headers } = await bob.request(path + view);
      const again = { headers: { "if-none-match": headers.get("etag") ?? "" } };
      expect(
        await added("counted", async () => {
          expect((await bob.request(path + view, again)).status).toBe(304);
        }),
      ).toEqual({});
    }
  });
});

test("figures are broken down by version, format, tool and host of the referrer", async () => {
  const { id } = await publish(alice, "parted");
  await alice.request("POST /prompts/alice/parted/versions", { body: { files: filesOf("Other") } });
  const path = "/prompts/alice/parted";
  const from = (referer: string) => ({ headers: { referer } });
  await bob.request(`GET ${path}?version=1`, from("https://Example.com/a?secret=1"));
  await carol.request(`GET ${path}`, from("https://example.com/b"));
  await server.anonymous(`GET ${path}`, from("javascript:alert(1)"));
  await bob.request(`GET ${path}/raw`, from("http://other.example:8080/"));
  // Neither what the rest of a day is called, nor what refers to a page of many.
  await bob.request(`GET ${path}/raw`, from("https://other/"));
  await bob.request("GET /prompts?view=version&label=latest&owner=alice", from("https://list.example/"));
  await bob.request(`GET ${path}/download?format=tar.gz`);
  // A second one by the same reader counts no more, and names no format.
  await bob.request(`GET ${path}/download?format=zip`);
  await bob.request(`GET ${path}/open-in/claude`);
  const by = async (part: string, metrics = "") =>
    (await ofPrompt("parted", `?groupBy=${part}${metrics}`)).breakdown;
  expect(await by("referrer", "&metrics=views&metrics=rawReads")).toEqual([
    { key: "example.com", views: 2, rawReads: 0 },
    { key: "other.example", views: 0, rawReads: 1 },
  ]);
  expect(await by("version", "&metrics=views")).toEqual([
    { key: "2", views: 2 },
    { key: "1", views: 1 },
  ]);
  expect(await by("format", "&metrics=downloads")).toEqual([{ key: "tar.gz", downloads: 1 }]);
  expect(await by("target", "&metrics=opens")).toEqual([{ key: "claude", opens: 1 }]);
  expect((await ofPrompt("parted")).breakdown).toEqual([]);
  await server.sql`
    insert into daily_figures (subject_id, part, day, key, views)
    select ${id}, 'referrer', '2030-03-06', 'site-' || nth, 10 from generate_series(1, 99) nth`;
  await server.sql`
    insert into daily_figures (subject_id, part, day, key, views) values (${id}, 'referrer', '2029-01-01', 'former', 999)`;
  const referrers = await by("referrer", "&metrics=views");
  expect([referrers.length, referrers.at(-1)]).toEqual([100, { key: "example.com", views: 2 }]);
  const equal = referrers.slice(0, 99).map(({ key }: { key: string }) => key);
  expect(equal).toEqual([...equal].sort());
});

describe("a range", () => {
  beforeAll(async () => {
    await publish(alice, "ranged");
    for (const day of ["2030-02-28", "2030-03-03", "2030-03-04", "2030-03-06"]) {
      await server.setClock(`${day}T23:59:59Z`);
      for (const who of [bob, carol, bob]) await who.request("GET /prompts/alice/ranged");
      await server.context.activity.flush();
    }
  });

  test("has every day, also those on which nothing happened", async () => {
    const { range, totals, series } = await ofPrompt("ranged", "?from=2030-03-02&to=2030-03-05");
    expect(range).toEqual({ from: "2030-03-02", to: "2030-03-05", interval: "day" });
    expect(totals).toEqual({ ...nothing, views: 6, uniqueViews: 4 });
    expect(series).toEqual([
      { at: "2030-03-02T00:00:00.000Z", ...nothing },
      { at: "2030-03-03T00:00:00.000Z", ...nothing, views: 3, uniqueViews: 2 },
      { at: "2030-03-04T00:00:00.000Z", ...nothing, views: 3, uniqueViews: 2 },
      { at: "2030-03-05T00:00:00.000Z", ...nothing },
    ]);
  });

  test("has weeks from Monday on and months, with the days of the range alone, and sums of unique viewers", async () => {
    const seriesOf = async (query: string) => {
      const { series } = await ofPrompt("ranged", `?${query}&metrics=uniqueViews`);
      return (series as { at: string; uniqueViews: number }[]).map(({ at, uniqueViews }) => [
        at.slice(0, 10),
        uniqueViews,
      ]);
    };
    expect(await seriesOf("from=2030-03-01&to=2030-03-06&interval=week")).toEqual([
      ["2030-02-25", 2],
      ["2030-03-04", 4],
    ]);
    expect(await seriesOf("from=2030-02-01&to=2030-03-31&interval=month")).toEqual([
      ["2030-02-01", 2],
      ["2030-03-01", 6],
    ]);
  });

  test("ends today and has 30 days, unless it says otherwise", async () => {
    expect((await ofPrompt("ranged")).range).toEqual({
      from: "2030-02-05",
      to: "2030-03-06",
      interval: "day",
    });
    expect((await ofPrompt("ranged", "?to=2030-01-30")).range.from).toBe("2030-01-01");
  });

  test.each([
    ["from=2030-03-07", "/from"],
    ["from=2030-01-02&to=2030-01-01", "/from"],
    ["from=2029-01-30", "/from"],
    ["from=2030-02-30", "/from"],
    ["to=tomorrow", "/to"],
    ["to=1999-12-31", "/to"],
    ["to=10000-01-01", "/to"],
    ["interval=hour", "/interval"],
    ["metrics=clicks", "/metrics"],
    ["groupBy=country", "/groupBy"],
  ])("of %s is refused, and the answer says where", async (query, path) => {
    const answer = await read(`/prompts/alice/ranged/analytics?${query}`);
    expect(codeOf(answer)).toEqual([422, "validation_failed"]);
    expect(answer.json.error.details[0].path).toBe(path);
  });

  test("of 400 days is answered whole", async () => {
    const { series } = await ofPrompt("ranged", "?from=2029-01-31&to=2030-03-06&metrics=views");
    expect(series.length).toBe(400);
  });
});

test("analytics of a prompt are its owner's alone", async () => {
  await publish(alice, "mine");
  await publish(alice, "hidden", { visibility: "private" });
  expect(codeOf(await read("/prompts/alice/mine/analytics", bob))).toEqual([403, "forbidden"]);
  expect(codeOf(await read("/prompts/alice/hidden/analytics", bob))).toEqual([404, "not_found"]);
  expect(codeOf(await read("/prompts/alice/mine/analytics", server.nobody))).toEqual([
    401,
    "unauthenticated",
  ]);
});

test("those of an account are the sums over its prompts and makes, also deleted ones, and name the prompts that were read the most", async () => {
  const dora = await server.join("dora");
  await publish(dora, "first", { title: "First" });
  await publish(dora, "second", { title: "Second" });
  for (const slug of ["deleted", "only-opened"]) await publish(dora, slug);
  const { json: make } = await dora.request("POST /makes", {
    body: { title: "Made", body: "Text", publish: true, visibility: "public" },
  });
  for (const path of ["prompts/dora/second", "prompts/dora/second?view=version", "prompts/dora/first"]) {
    await bob.request(`GET /${path}`);
  }
  await bob.request(`GET /makes/${make.slug}`);
  await bob.request(`POST /makes/${make.slug}/star`);
  await bob.request("GET /prompts/dora/only-opened/open-in/claude");
  const { json: remix } = await bob.request(`POST /makes/${make.slug}/remix`);
  await bob.request(`PATCH /makes/${remix.slug}`, { body: { status: "published" } });
  await bob.request("GET /prompts/dora/deleted");
  await dora.request("DELETE /prompts/dora/deleted");
  const { json } = await read("/me/analytics?interval=month", dora);
  expect(json.totals).toEqual({
    ...nothing,
    views: 4,
    uniqueViews: 4,
    rawReads: 1,
    opens: 1,
    stars: 1,
    forks: 1,
  });
  expect(json.topPrompts).toEqual([
    { prompt: { ref: "dora/second", title: "Second" }, ...nothing, views: 1, uniqueViews: 1, rawReads: 1 },
    { prompt: { ref: "dora/first", title: "First" }, ...nothing, views: 1, uniqueViews: 1 },
  ]);
  expect((await read("/me/analytics", await server.join("erin"))).json).toMatchObject({
    totals: nothing,
    topPrompts: [],
  });
});

test("those of an account name its ten prompts that were read the most", async () => {
  const frank = await server.join("frank");
  await server.sql`
    insert into prompts (owner_id, slug, kind, title, tags, visibility, status, published_at, rating)
    select ${frank.id}, 'read-' || nth, 'text', 'Read', '{}', 'public', 'published', clock(), 'general' from generate_series(1, 11) nth`;
  await server.sql`
    insert into daily_figures (subject_id, part, day, key, views)
    select owner_id, 'subject', '2030-03-06', id, greatest(substr(slug, 6)::int, 3) from prompts where owner_id = ${frank.id}`;
  // What happened before the range is no part of it.
  await server.sql`
    insert into daily_figures (subject_id, part, day, key, views)
    select owner_id, 'subject', date '2029-01-01', id, 99 from prompts where owner_id = ${frank.id} and slug = 'read-3'
    union all select owner_id, 'all', date '2029-01-01', '', 99 from prompts where owner_id = ${frank.id} and slug = 'read-3'
    union all select id, 'all', date '2029-01-01', '', 99 from prompts where owner_id = ${frank.id}`;
  const equal = await server.sql<{ ref: string }[]>`
    select 'frank/' || slug as ref from prompts where owner_id = ${frank.id} and substr(slug, 6)::int <= 3 order by id`;
  const { totals, topPrompts } = (await read("/me/analytics", frank)).json;
  expect(totals).toEqual(nothing);
  expect(topPrompts.map(({ prompt, views }: any) => [prompt.ref, views])).toEqual(
    [
      ...[11, 10, 9, 8, 7, 6, 5, 4].map((nth) => `frank/read-${nth}`),
      ...equal.slice(0, 2).map(({ ref }) => ref),
    ].map((ref) => [ref, 0]),
  );
});

test("the SDK asks as typed", async () => {
  const client = createClient({ baseUrl: server.url, token: alice.token });
  const { totals } = await client.analytics.prompts.get({
    owner: "alice",
    slug: "ranged",
    query: { from: "2030-03-04", to: "2030-03-04", metrics: ["views", "opens"], groupBy: "referrer" },
  });
  expect(totals).toEqual({ views: 3, opens: 0 });
  expect((await client.analytics.me.get({ query: { interval: "week" } })).range.interval).toBe("week");
});
