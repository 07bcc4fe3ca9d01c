import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isThorough } from "../../../../core/src/testing/growth.ts";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { codeOf, pagesOf as pagesOfList, type Sender } from "../../../test/requests.ts";
import { trends } from "../index.ts";
import { rankPrompts } from "./rank.sql.ts";
import { indexAbout } from "./search.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const create = (slug: string, fields: object = {}, who = alice) =>
  publish(who, slug, { title: `About ${slug}`, files: filesOf("Hello {{name}}"), ...fields });
const slugsOf = ({ json }: Answer): string[] => json.items.map(({ slug }: { slug: string }) => slug);
const list = (query: string, who: Sender = server.nobody) =>
  who.request(`GET /prompts?${query.replaceAll(" ", "+")}`);

/** The slugs on every page of a list. `between` is called after each page. */
const pagesOf = async (
  query: string,
  { who = server.nobody, between }: { who?: Sender; between?: () => Promise<unknown> } = {},
) => (await pagesOfList(who, `GET /prompts?${query.replaceAll(" ", "+")}`, between)).map(slugsOf);

describe("the list of prompts", () => {
  test("has a summary of each, with the latest version's number and hash, and the labels", async () => {
    const { version, ...made } = await create("shown", { tags: ["shown"], summary: "Says hello" });
    await alice.request("PUT /prompts/alice/shown/labels/production", { body: { versionNumber: 1 } });
    const { json } = await list("tag=shown");
    expect(json.nextCursor).toBeNull();
    expect(json.items).toMatchObject([
      {
        id: made.id,
        ref: "alice/shown",
        summary: "Says hello",
        labels: { production: 1 },
        latest: { n: 1, contentHash: version.contentHash },
      },
    ]);
    for (const field of ["version", "resolvedBy", "viewer"]) expect(json.items[0]).not.toHaveProperty(field);
    expect((await list("tag=shown", bob)).json.items[0].viewer).toMatchObject({ isOwner: false });
  });

  test("has what is public, published and not deleted, for the owner and admins too", async () => {
    const tags = ["sight"];
    await create("sight-public", { tags });
    await create("sight-unlisted", { tags, visibility: "unlisted" });
    await create("sight-private", { tags, visibility: "private" });
    await create("sight-draft", { tags, publish: false });
    await create("sight-deleted", { tags });
    await alice.request("DELETE /prompts/alice/sight-deleted");
    const admin = await server.join("admin", { role: "admin" });
    for (const who of [undefined, alice, bob, admin]) {
      expect(slugsOf(await list("tag=sight", who))).toEqual(["sight-public"]);
      expect(slugsOf(await list("owner=alice&tag=sight&sort=title", who))).toEqual(["sight-public"]);
    }
    expect(slugsOf(await list("owner=me&tag=sight&sort=title", alice))).toEqual([
      "sight-draft",
      "sight-private",
      "sight-public",
      "sight-unlisted",
    ]);
    expect(slugsOf(await list("owner=me&tag=sight&visibility=private", alice))).toEqual(["sight-private"]);
    expect(slugsOf(await list("owner=me&tag=sight&status=draft", alice))).toEqual(["sight-draft"]);
    expect(slugsOf(await list("owner=me&tag=sight", bob))).toEqual([]);
  });

  test("needs the scope read for one's own prompts", async () => {
    expect(codeOf(await list("owner=me"))).toEqual([401, "unauthenticated"]);
    const writer = await server.join("writer", { scopes: ["write"] });
    expect(codeOf(await list("owner=me", writer))).toEqual([401, "unauthenticated"]);
  });

  test("leaves out mature prompts, except with a filter, a preference or in one's own list", async () => {
    await create("wild", { tags: ["rated"], rating: "mature" });
    await create("mild", { tags: ["rated"], rating: "sensitive" });
    const curious = await server.join("curious");
    await server.sql`update users set preferences = preferences || '{"showMature": true}' where id = ${curious.id}`;
    expect(slugsOf(await list("tag=rated"))).toEqual(["mild"]);
    expect(slugsOf(await list("tag=rated", bob))).toEqual(["mild"]);
    expect(slugsOf(await list("tag=rated&rating=mature"))).toEqual(["wild"]);
    expect(slugsOf(await list("tag=rated&sort=title", curious))).toEqual(["mild", "wild"]);
    expect(slugsOf(await list("tag=rated&sort=title&owner=me", alice))).toEqual(["mild", "wild"]);
  });

  test("of an owner is found by a former handle, and is empty for an unknown one", async () => {
    const carol = await server.join("carol-now");
    await server.sql`insert into former_handles (handle, user_id) values ('carol-then', ${carol.id})`;
    await create("of-carol", {}, carol);
    expect(slugsOf(await list("owner=carol-then"))).toEqual(["of-carol"]);
    expect(slugsOf(await list("owner=carol-then&q=carol"))).toEqual(["of-carol"]);
    expect((await list("owner=nobody")).json).toEqual({ items: [], nextCursor: null });
  });

  test("of slugs that begin so needs an account, and has its private ones for that account alone", async () => {
    for (const [slug, visibility] of [
      ["begins", "public"],
      ["begins-so", "private"],
      ["other-begins", "public"],
    ] as const)
      await create(slug, { visibility });
    const beginning = async (query: string, who?: Person) => slugsOf(await list(query, who)).sort();
    expect(await beginning("owner=alice&slugPrefix=begin", bob)).toEqual(["begins"]);
    expect(await beginning("owner=me&slugPrefix=begin", alice)).toEqual(["begins", "begins-so"]);
    expect(await beginning("owner=me&slugPrefix=begins-", alice)).toEqual(["begins-so"]);
    expect(await beginning("owner=me&slugPrefix=begin", bob)).toEqual([]);
  });

  test("of kinds has each prompt of these once, also if one is named twice", async () => {
    const content = JSON.stringify({ messages: [{ role: "user", content: "Hello" }] });
    await create("spoken", { kind: "chat", files: [{ path: "CHAT.json", content }] });
    await create("written");
    const named = async (kinds: string) => slugsOf(await list(`${kinds}&sort=trending&limit=100`));
    expect(await named("kind=chat")).toEqual(["spoken"]);
    const slugs = await named("kind=text&kind=text");
    expect([slugs.includes("written"), slugs.includes("spoken")]).toEqual([true, false]);
    expect(slugs).toEqual([...new Set(slugs)]);
  });

  test("of forks is empty if the caller cannot see the source", async () => {
    const source = await create("forked");
    const { id } = await create("a-fork", {}, bob);
    await server.sql`update prompts set forked_from_id = ${source.id}, forked_from_n = 1 where id = ${id}`;
    const forks = async (ref: string, who?: Person) => slugsOf(await list(`forkOf=alice/${ref}`, who));
    expect(await forks("forked")).toEqual(["a-fork"]);
    expect(await forks("nothing")).toEqual([]);
    await alice.request("PATCH /prompts/alice/forked", { body: { slug: "forked-now" } });
    expect(await forks("forked")).toEqual(["a-fork"]);
    await alice.request("PATCH /prompts/alice/forked-now", { body: { visibility: "private" } });
    expect([await forks("forked-now"), await forks("forked", bob)]).toEqual([[], []]);
    expect(await forks("forked", alice)).toEqual(["a-fork"]);
    await alice.request("DELETE /prompts/alice/forked-now");
    expect(await forks("forked", alice)).toEqual([]);
  });

  test.for([
    "visibility=private",
    "owner=alice&status=draft",
    "slugPrefix=a",
    "owner=alice&slugPrefix=",
    "owner=alice&slugPrefix=A",
    "owner=alice&slugPrefix=%25",
    "sort=relevance",
    "sort=random",
    "kind=poem",
    "tag=UPPER",
    "q=",
    `q=${"x".repeat(201)}`,
    "q=%00",
    "rating=high",
    "hasEvals=1",
    "forkOf=alice",
    "owner=a--b",
    "updatedSince=yesterday",
    "updatedSince=2026-11-20",
    "updatedSince=2026-02-30T00:00:00Z",
    "updatedSince=0000-01-01T00:00:00Z",
    "updatedSince=0001-01-01T00:00:00%2B01:00",
    "updatedSince=9999-12-31T23:00:00-01:00",
    Array.from({ length: 21 }, (_, i) => `tag=t${i}`).join("&"),
  ])("refuses %s", async (query) => {
    const answer = await list(query);
    expect(codeOf(answer)).toEqual([422, "validation_failed"]);
    const [last = ""] = query.split("&").slice(-1);
    expect(answer.json.error.details[0].path).toBe(`/${last.replace(/=.*/, "")}`);
  });

  test("accepts a time with any offset", async () => {
    await create("dated", { tags: ["dated"] });
    await server.sql`update prompts set updated_at = '2026-11-20T09:30:00.000Z' where slug = 'dated'`;
    for (const [time, count] of [
      ["2026-11-20T09:30:00Z", 1],
      ["2026-11-20T09:30Z", 1],
      ["2026-11-20T11:30:00.000000001%2B02:00", 1],
      ["2026-11-20T09:30:00.001Z", 0],
      ["2026-11-19T10:00:00-23:59", 0],
      ["0001-01-01T00:00:00Z", 1],
      ["9999-12-31T23:59:59Z", 0],
    ] as const) {
      expect([time, slugsOf(await list(`tag=dated&updatedSince=${time}`)).length]).toEqual([time, count]);
    }
  });

  test("refuses a cursor with other filters or another order", async () => {
    await create("paged-1", { tags: ["paged"] });
    await create("paged-2", { tags: ["paged"] });
    const { json } = await list("tag=paged&limit=1");
    expect(slugsOf(await list(`tag=paged&limit=5&cursor=${json.nextCursor}`))).toHaveLength(1);
    for (const query of ["tag=other", "tag=paged&sort=title", "", "tag=paged&owner=me"]) {
      const answer = await list(`${query}&cursor=${json.nextCursor}`, alice);
      expect(codeOf(answer)).toEqual([400, "invalid_cursor"]);
    }
  });

  test("repeats and skips nothing while new prompts come before, between and after", async () => {
    for (let i = 0; i < 6; i += 1) await create(`steady-${i}`, { tags: ["steady"], title: `M${i % 2}` });
    for (const sort of ["newest", "title", "trending"]) {
      let late = 0;
      const between = () =>
        create(`late-${sort}-${++late}`, { tags: ["steady"], title: ["A", "M0", "Z"][late % 3] });
      const seen = (
        await pagesOf(`tag=steady&sort=${sort}&limit=2`, {
          between: () => (late < 5 ? between() : Promise.resolve()),
        })
      ).flat();
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((slug) => slug.startsWith("steady-")).length).toBe(6);
    }
  });
});

describe("search by q", () => {
  test("finds title, tags, summary and entry, best match first", async () => {
    const content = (words: string) => ({ files: filesOf(words) });
    await create("w-entry", { title: "Fourth", ...content("Speak of zebras") });
    await create("w-summary", { title: "Third", summary: "All about zebras" });
    await create("w-tag", { title: "Second", tags: ["zebra"] });
    await create("w-title", { title: "A zebra" });
    expect(slugsOf(await list("q=zebra"))).toEqual(["w-title", "w-tag", "w-summary", "w-entry"]);
    expect(slugsOf(await list("q=zebra&sort=title"))).toEqual(["w-title", "w-entry", "w-tag", "w-summary"]);
    expect(slugsOf(await list("q=zebra -speak -tag&kind=text&tag=zebra"))).toEqual(["w-tag"]);
    await server.sql`update prompts set hourly_stars = 2000000000 where slug = 'w-tag'`;
    expect(slugsOf(await list("q=zebra"))[0]).toBe("w-tag");
  });

  test("follows every change of these texts", async () => {
    await create("told", { title: "Quokka", files: filesOf("a wombat") });
    const finds = async (q: string) => slugsOf(await list(`q=${q}`));
    expect([await finds("quokka"), await finds("wombat")]).toEqual([["told"], ["told"]]);
    const body = { files: filesOf("a numbat") };
    await alice.request("POST /prompts/alice/told/versions", { body });
    expect([await finds("wombat"), await finds("numbat")]).toEqual([[], ["told"]]);
    await alice.request("PATCH /prompts/alice/told", { body: { title: "Bilby", tags: ["quoll"] } });
    expect([await finds("quokka"), await finds("bilby"), await finds("quoll")]).toEqual([
      [],
      ["told"],
      ["told"],
    ]);
    await alice.request("DELETE /prompts/alice/told");
    expect(await finds("bilby")).toEqual([]);
    expect(
      await server.sql`select from search_documents d join prompts p using (id) where p.slug = 'told'`,
    ).toHaveLength(0);
  });

  test("finds one's own drafts and private prompts, by their fields", async () => {
    await create("own-draft", { title: "Platypus", publish: false });
    await create("own-private", { title: "Platypus", visibility: "private" });
    expect(slugsOf(await list("q=platypus"))).toEqual([]);
    expect(slugsOf(await list("q=platypus&owner=me", alice)).sort()).toEqual(["own-draft", "own-private"]);
  });

  test.for([
    '"',
    '""""""',
    "'; drop table prompts; --",
    "\\",
    ":*",
    "a:*b & | ! ( ) <-> <2>",
    "- - -",
    "-",
    "or or or",
    "the",
    "   ",
    "(((((((((",
    "🦓\u0301\u202e\ud7ff\uffff",
    "a_".repeat(100),
    "<!--".repeat(50),
    '-"'.repeat(100),
  ])("accepts any text: %s", async (q) => {
    for (const sort of ["relevance", "newest"]) {
      expect((await list(`sort=${sort}&q=${encodeURIComponent(q)}`)).status).toBe(200);
    }
  });

  test("searches a name with punctuation word by word", async () => {
    await create("signs", { title: "On snake_case, example.com/path and pre-flight" });
    for (const q of ["snake_case", "example.com", "path", "pre-flight", '"example com"', "flight"]) {
      expect([q, slugsOf(await list(`q=${encodeURIComponent(q)}`))]).toEqual([q, ["signs"]]);
    }
  });

  let hostiles = 0;
  const distinct = (count: number, first: number) =>
    Array.from({ length: count }, (_, i) =>
      String.fromCodePoint(
        first + (i % 26),
        first + (Math.trunc(i / 26) % 26),
        first + (Math.trunc(i / 676) % 40),
      ),
    );
  test.for<[string, string]>([
    ["one long word", "x".repeat(262_144)],
    ["one long name", "a_".repeat(131_072)],
    ["comments that never close", "<!--".repeat(65_536)],
    ["tags that never close", "<a ".repeat(87_000)],
    ["addresses", "a@b.c/d?e=f&g ".repeat(18_000)],
    ["as many words as possible", distinct(56_000, 0x61).join(" ")],
    ["as many long words as possible", distinct(16_000, 0x10428).join("-a ")],
    ["four bytes for each character", "𐐨".repeat(65_536)],
  ])("indexes an entry of 256 KiB of %s", async ([, content]) => {
    const hostile = filesOf(content);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(262_144);
    const { slug } = await create(`hostile-${++hostiles}`, { title: "Kookaburra" });
    expect(
      (await alice.request(`POST /prompts/alice/${slug}/versions`, { body: { files: hostile } })).status,
    ).toBe(201);
    expect(slugsOf(await list("q=kookaburra&limit=100"))).toContain(slug);
  });
});

interface Row {
  id: string;
  slug: string;
  owner: string;
  kind: string;
  title: string;
  tags: string[];
  license: string | null;
  visibility: string;
  status: string;
  rating: string;
  hasEvals: boolean;
  source: string | null;
  words: string[];
  updatedAt: string;
  publishedAt: string;
  trending: number;
  stars: number;
  installs: number;
}

describe("every filter and every order, alone and together,", () => {
  const size = 80;
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
  const words = ["lion", "tiger", "bear"];
  const row = fc.record({
    owner: fc.constantFrom("dora", "emil"),
    kind: fc.constantFrom("text", "chat", "skill"),
    title: fc.constantFrom("a", "B", "c", "D"),
    tags: fc.subarray(["red", "green", "blue"]),
    license: fc.constantFrom("MIT", "GPL-3.0-only", null),
    visibility: fc.constantFrom("public", "public", "public", "unlisted", "private"),
    status: fc.constantFrom("published", "published", "published", "draft"),
    rating: fc.constantFrom("general", "sensitive", "mature"),
    hasEvals: fc.boolean(),
    isFork: fc.boolean(),
    words: fc.subarray(words),
    updatedAt: fc.nat({ max: 5 }).map(day),
    publishedAt: fc.nat({ max: 5 }).map(day),
    trending: fc.constantFrom(0, 0.1, 1 / 3, 1e-12),
    stars: fc.nat({ max: 3 }),
    installs: fc.nat({ max: 3 }),
  });
  const query = fc.record(
    {
      q: fc.constantFrom("lion", "lion tiger", "lion -tiger", "lion or bear"),
      kind: fc.subarray(["text", "chat", "skill"], { minLength: 1 }),
      tag: fc.subarray(["red", "green", "blue"], { minLength: 1 }),
      owner: fc.constantFrom("dora", "emil", "me"),
      license: fc.constantFrom("MIT", "GPL-3.0-only"),
      rating: fc.constantFrom("general", "sensitive", "mature"),
      hasEvals: fc.boolean(),
      forkOf: fc.constant("dora/p-0"),
      updatedSince: fc.nat({ max: 6 }).map(day),
      sort: fc.constantFrom("trending", "newest", "updated", "stars", "installs", "title"),
    },
    { requiredKeys: [] },
  );
  const finds: Record<string, (said: string[]) => boolean> = {
    lion: (said) => said.includes("lion"),
    "lion tiger": (said) => said.includes("lion") && said.includes("tiger"),
    "lion -tiger": (said) => said.includes("lion") && !said.includes("tiger"),
    "lion or bear": (said) => said.includes("lion") || said.includes("bear"),
  };
  type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;
  let rows: Row[];
  let dora: Person;

  beforeAll(async () => {
    dora = await server.join("dora");
    await server.join("emil");
    // Removes the other prompts of this file.
    await server.sql`update prompts set deleted_at = clock()`;
    const made = fc.sample(row, { numRuns: size, seed: 7 });
    rows = await server.sql<Row[]>`
      insert into prompts (owner_id, slug, kind, title, summary, tags, license, visibility, status, rating, has_evals,
        updated_at, published_at, trending, hourly_stars, hourly_installs)
      select (select id from users where handle = r.owner), 'p-' || i - 1, r.kind, r.title, array_to_string(r.words, ' '),
        r.tags, r.license, case when i = 1 then 'public' else r.visibility end,
        case when i = 1 then 'published' else r.status end, r.rating, r."hasEvals", r."updatedAt", r."publishedAt",
        r.trending, r.stars, r.installs
      from rows from (jsonb_to_recordset(${server.sql.json(made.map((one, i) => (i === 0 ? { ...one, owner: "dora" } : one)))})
        as (owner text, kind text, title text, tags text[], license text, visibility text, status text, rating text,
          "hasEvals" boolean, words text[], "updatedAt" timestamptz, "publishedAt" timestamptz,
          trending float8, stars int, installs int)) with ordinality r (owner, kind, title, tags, license, visibility,
          status, rating, "hasEvals", words, "updatedAt", "publishedAt", trending, stars, installs, i)
      returning id, slug, (select handle from users where users.id = owner_id) as owner, kind, title, tags, license,
        visibility, status, rating, has_evals as "hasEvals", string_to_array(summary, ' ') as words,
        iso(updated_at) as "updatedAt", iso(published_at) as "publishedAt", trending, hourly_stars as stars,
        hourly_installs as installs`;
    const [source] = rows;
    for (const [i, one] of rows.entries()) {
      one.source = i > 0 && made[i]?.isFork ? (source?.id ?? "") : null;
      await server.sql`update prompts set forked_from_id = ${one.source}, forked_from_n = 1 where id = ${one.id}`;
      await indexAbout(server.sql, one.id, { ...one, summary: one.words.join(" ") });
    }
  });

  function expected(asked: Query): string[] {
    const isMine = asked.owner === "me";
    const fits = (one: Row) =>
      (isMine ? one.owner === "dora" : one.visibility === "public" && one.status === "published") &&
      (asked.rating === undefined ? isMine || one.rating !== "mature" : one.rating === asked.rating) &&
      (asked.owner === undefined || isMine || one.owner === asked.owner) &&
      (asked.kind?.includes(one.kind) ?? true) &&
      (asked.tag?.every((tag) => one.tags.includes(tag)) ?? true) &&
      (asked.license === undefined || one.license === asked.license) &&
      (asked.hasEvals === undefined || one.hasEvals === asked.hasEvals) &&
      (asked.forkOf === undefined || one.source !== null) &&
      (asked.updatedSince === undefined || one.updatedAt >= asked.updatedSince) &&
      (asked.q === undefined || (finds[asked.q]?.(one.words) ?? false));
    const keys: Record<string, (one: Row) => string | number> = {
      trending: (one) => one.trending,
      newest: (one) => one.publishedAt,
      updated: (one) => one.updatedAt,
      stars: (one) => one.stars,
      installs: (one) => one.installs,
      title: (one) => one.title.toLowerCase(),
    };
    const key = keys[asked.sort ?? "trending"] ?? (() => 0);
    const ascending = rows.filter(fits).sort((a, b) => {
      const [x, y] = key(a) === key(b) ? [a.id, b.id] : [key(a), key(b)];
      return x < y ? -1 : 1;
    });
    return (asked.sort === "title" ? ascending : ascending.reverse()).map(({ slug }) => slug);
  }

  test("give the same as a list in memory, with any page size", async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 40 }), async (asked, limit) => {
        const pairs = Object.entries({ ...asked, limit }).flatMap(([name, value]) =>
          [value].flat().map((one): [string, string] => [name, String(one)]),
        );
        const pages = await pagesOf(String(new URLSearchParams(pairs)), { who: dora });
        expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
        const isRanked = asked.q !== undefined && asked.sort === undefined;
        const slugs = pages.flat();
        if (isRanked) expect(slugs.sort()).toEqual(expected(asked).sort());
        else expect(slugs).toEqual(expected(asked));
      }),
      { numRuns: isThorough ? 1_000 : 50 },
    );
  });
});

describe("a list of many", () => {
  const many = 10_050;
  const last = `gnu-${many}`;
  beforeAll(async () => {
    const herd = await server.join("herd");
    await server.sql`
      insert into prompts (owner_id, slug, kind, title, tags, visibility, rating, status, created_at, published_at, trending)
      select ${herd.id}, 'gnu-' || i, 'text', 'Gnu', '{gnu}', 'public', 'general', 'published', at, at, i % 7
      from (select i, '2020-01-01'::timestamptz + i * interval '1 minute' as at from generate_series(1, ${many}) i) made`;
    await server.sql`
      insert into search_documents (type, id, document)
      select 'prompt', id, setweight(to_tsvector('english', 'wildebeest'), (case when slug = ${last} then 'A' else 'D' end)::"char")
        || array_to_tsvector(search_terms(p))
      from prompts p where owner_id = ${herd.id} order by created_at`;
    // Cached plans were made for the few prompts of earlier tests.
    await server.sql`analyze prompts, search_documents`;
  });
  const numbers = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, i) => `gnu-${from - i}`);

  test("can be read to its end in any order", { tags: "long" }, async () => {
    const pages = await pagesOf("tag=gnu&limit=100&sort=newest");
    expect(pages.flat()).toEqual(numbers(many, 1));
    const words = await pagesOf("q=wildebeest&limit=100&sort=newest");
    expect(words.flat()).toEqual(pages.flat());
  });

  test("ends after a thousand when sorted by relevance, and only the last page is short", async () => {
    const pages = await pagesOf("q=wildebeest&limit=90");
    expect(pages.map(({ length }) => length)).toEqual([...Array<number>(11).fill(90), 10]);
    expect(new Set(pages.flat()).size).toBe(1000);
  });

  test("ranks the most starred of them, as the hourly job counts", { tags: "long" }, async () => {
    const find = async () => (await pagesOf("q=wildebeest&limit=100")).flat();
    expect(await find()).not.toContain(last);
    await bob.request(`POST /prompts/herd/${last}/star`);
    await rankPrompts(server.sql, trends);
    expect((await find())[0]).toBe(last);
    await bob.request(`DELETE /prompts/herd/${last}/star`);
    await rankPrompts(server.sql, trends);
    expect(await find()).not.toContain(last);
  });
});

describe("the versions that an application uses", () => {
  const versions = (query: string, who: Sender = server.nobody) => list(`view=version&${query}`, who);
  const refsOf = ({ json }: Answer): string[] => json.items.map(({ ref }: { ref: string }) => ref);
  let carol: Person;

  beforeAll(async () => {
    carol = await server.join("carol");
    const fields = { files: filesOf("Hello {{name}}") };
    await create("first", { ...fields, labels: ["production"] }, carol);
    await create("second", { ...fields, visibility: "private", labels: ["production"] }, carol);
    await create("third", { ...fields, visibility: "unlisted", labels: ["production"] }, carol);
    await create("fourth", { ...fields, rating: "mature", labels: ["production"] }, carol);
    await create("fifth", fields, carol);
    await create("sixth", { ...fields, publish: false }, carol);
    await create("seventh", { ...fields, labels: ["production"] }, carol);
    await carol.request("DELETE /prompts/carol/seventh");
  });

  test("are what a label points to, the newest prompt first, each as it is alone, with the ETag of that", async () => {
    const { json } = await versions("owner=me&label=production", carol);
    expect(json.items.map(({ ref }: { ref: string }) => ref)).toEqual(
      ["fourth", "third", "second", "first"].map((slug) => `carol/${slug}`),
    );
    for (const { etag, ...item } of json.items) {
      const alone = await carol.request(`GET /prompts/${item.ref}?view=version&label=production`);
      expect([item, etag]).toEqual([alone.json, alone.headers.get("etag")]);
    }
  });

  test("are the latest without a label, of prompts that have a version", async () => {
    const answer = await versions("owner=me", carol);
    expect(refsOf(answer)).toEqual(
      ["fifth", "fourth", "third", "second", "first"].map((slug) => `carol/${slug}`),
    );
    expect(answer.json.items[0].resolvedBy).toEqual({ type: "latest", value: null });
  });

  test("are those of listed prompts for others", async () => {
    expect(refsOf(await versions("owner=carol&label=production"))).toEqual(["carol/first"]);
    expect(refsOf(await versions("owner=carol&label=production&rating=mature", bob))).toEqual([
      "carol/fourth",
    ]);
    expect(refsOf(await versions("owner=carol&label=staging", carol))).toEqual([]);
    expect(refsOf(await versions("owner=nobody-there"))).toEqual([]);
  });

  test("come in pages whose cursor belongs to the label", async () => {
    const pages = await pagesOfList(carol, "GET /prompts?view=version&owner=me&label=production&limit=3");
    expect(pages.map(refsOf)).toEqual([["carol/fourth", "carol/third", "carol/second"], ["carol/first"]]);
    const cursor = pages[0]?.json.nextCursor;
    const other = await versions(`owner=me&limit=3&cursor=${cursor}`, carol);
    expect(codeOf(other)).toEqual([400, "invalid_cursor"]);
  });

  test("of prompts of one moment have one order, in pages and in the list of changes", async () => {
    await server.sql`update prompts set created_at = '2026-01-01' where owner_id = ${carol.id}`;
    const refs = ["fourth", "third", "second", "first"].map((slug) => `carol/${slug}`);
    const pages = await pagesOfList(carol, "GET /prompts?view=version&owner=me&label=production&limit=1");
    expect(pages.flatMap(refsOf)).toEqual(refs);
    expect(refsOf(await list("view=changes&owner=me&label=production", carol))).toEqual(refs);
  });

  test("have one ETag, which changes with a move of the label alone", async () => {
    const route = "GET /prompts?view=version&owner=me&label=production";
    const etag = (await carol.request(route)).headers.get("etag") ?? "";
    const again = () => carol.request(route, { headers: { "if-none-match": etag } });
    await bob.request("PUT /stars/prompts/carol/first");
    await carol.request("PATCH /prompts/carol/first", { body: { title: "Another" } });
    expect(await again()).toMatchObject({ status: 304, text: "" });
    await carol.request("POST /prompts/carol/first/versions", {
      body: { files: filesOf("Good day {{name}}") },
    });
    expect((await again()).status).toBe(304);
    await carol.request("PUT /prompts/carol/first/labels/production", { body: { versionNumber: 2 } });
    const moved = await again();
    expect(moved.status).toBe(200);
    expect(moved.json.items.at(-1).version.n).toBe(2);
  });

  test("are read by an application, whoever linked to the list", async () => {
    await server.sql`delete from daily_figures`;
    const headers = { referer: "https://blog.example/" };
    await bob.request("GET /prompts?view=version&owner=carol", { headers });
    await bob.request("GET /prompts/carol/first/raw", { headers });
    await server.context.activity.flush();
    const referrers = await server.sql`
      select slug, key from daily_figures f join prompts p on p.id = f.subject_id where part = 'referrer'`;
    expect(referrers.map(({ slug, key }) => [slug, key])).toEqual([["first", "blog.example"]]);
  });

  test("end a page that has much in its files, and go on behind it", { tags: "long" }, async () => {
    const dave = await server.join("dave");
    const content = "All work and no play. ".repeat(40_000);
    const others = ["a", "b", "c", "d", "e"].map((name) => ({ path: `${name}.md`, content }));
    const files = (n: number) => [...filesOf(`Text ${n}`), ...others];
    for (const n of [1, 2, 3]) await create(`large-${n}`, { files: files(n), labels: ["production"] }, dave);
    await server.sql`update prompts set created_at = '2026-01-01' where owner_id = ${dave.id}`;
    const pages = await pagesOfList(dave, "GET /prompts?view=version&owner=me&label=production&limit=100");
    expect(pages.map(refsOf)).toEqual([["dave/large-3", "dave/large-2"], ["dave/large-1"]]);
  });

  test.each([
    ["label=production", "/label"],
    ["view=version", "/view"],
    ["view=version&owner=me&sort=newest", "/view"],
    ["view=version&owner=me&q=hello", "/view"],
    ["view=summary&owner=me&label=production", "/label"],
  ])("are refused with %s", async (query, path) => {
    const { status, json } = await list(query, carol);
    expect([status, json.error.details.map((detail: { path: string }) => detail.path)]).toEqual([
      422,
      [path],
    ]);
  });
});
