import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { liftLimits } from "../../../test/stage.ts";
import { siteOf } from "../../kernel/media/looking.ts";
import {
  selectFoundCollections,
  selectFoundMakes,
  selectFoundPosts,
  selectFoundPrompts,
  selectFoundUsers,
} from "./found.sql.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
});
afterAll(() => server.stop());

async function search(q: string, query = "", who: Pick<Person, "request"> = server.nobody) {
  const { status, json } = await who.request(`GET /search?q=${encodeURIComponent(q)}${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  return json;
}
const nameOf = ({ type, entity }: any) => (type === "user" ? `@${entity.handle}` : entity.slug);
const find = async (q: string, query = "", who: Pick<Person, "request"> = server.nobody): Promise<string[]> =>
  (await search(q, query, who)).items.map(nameOf);
const marked = (segments: { text: string; match: boolean }[] = []) =>
  segments.map(({ text, match }) => (match ? `[${text}]` : text)).join("");

describe("a search", () => {
  test("finds a fork after its source, until more people star it", async () => {
    const bob = await server.join("bob");
    await publish(alice, "the-source", { title: "Pangolin" });
    await bob.request("POST /prompts/alice/the-source/forks", { body: { slug: "the-fork" } });
    expect(await find("pangolin")).toEqual(["the-source", "the-fork"]);
    await server.sql`update prompts set hourly_stars = 100 where slug = 'the-fork'`;
    expect(await find("pangolin")).toEqual(["the-fork", "the-source"]);
  });

  beforeAll(async () => {
    await server.setClock("2030-01-01T00:00:00Z");
    const walrus = (slug: string, fields: object) => publish(alice, slug, { title: "Other", ...fields });
    const files = [...filesOf("Feed the walrus"), { path: "a.md", content: "Beside the entry" }];
    await walrus("in-file", { files, kind: "text", license: "MIT" });
    await server.setClock("2030-01-02T00:00:00Z");
    await walrus("in-summary", { summary: "About a walrus", tags: ["sea", "ice"] });
    await walrus("in-tags", { tags: ["walrus", "sea"] });
    await walrus("in-title", { title: "Walrus", license: "MIT" });
    await server.join("walrus");
    const dora = await server.join("dora");
    await dora.request("PATCH /me", { body: { name: "Dora Élan", bio: "Trains a walrus" } });
    await server.sql`update prompts set hourly_stars = 7 where slug = 'in-file'`;
  });

  test("finds prompts and accounts, by title, tags, summary and file, the best first", async () => {
    expect(await find("walrus")).toEqual([
      "@walrus",
      "in-title",
      "in-tags",
      "@dora",
      "in-summary",
      "in-file",
    ]);
    const { items } = await search("walrus");
    const scores = items.map(({ score }: any) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
  });

  test.for([
    ["&type=prompt", ["in-title", "in-tags", "in-summary", "in-file"]],
    ["&type=user", ["@walrus", "@dora"]],
    ["&tag=sea&tag=ice", ["in-summary"]],
    ["&license=mit", ["in-title", "in-file"]],
    ["&kind=chat", []],
    ["&kind=chat&kind=text&owner=alice", ["in-title", "in-tags", "in-summary", "in-file"]],
    ["&owner=dora", []],
    ["&type=user&tag=sea", []],
  ] as const)("filters by %s", async ([query, expected]) => {
    expect(await find("walrus", query)).toEqual(expected);
  });

  test("can have the newest or the most starred first", async () => {
    expect((await find("walrus", "&sort=newest&type=prompt")).at(-1)).toBe("in-file");
    expect((await find("walrus", "&sort=stars&type=prompt"))[0]).toBe("in-file");
  });

  test("counts the matches by type, kind, tag and license, on every page the same", async () => {
    const facets = {
      type: [
        { value: "prompt", count: 4 },
        { value: "user", count: 2 },
      ],
      kind: [{ value: "text", count: 4 }],
      tag: [
        { value: "sea", count: 2 },
        { value: "ice", count: 1 },
        { value: "walrus", count: 1 },
      ],
      license: [{ value: "MIT", count: 2 }],
    };
    const first = await search("walrus", "&limit=2");
    expect(first.facets).toEqual(facets);
    expect((await search("walrus", `&limit=2&cursor=${first.nextCursor}`)).facets).toEqual(facets);
  });

  test("counts the twenty values of a facet that have the most matches", async () => {
    for (const first of [10, 18, 26]) {
      const tags = ["zoo", ...Array.from({ length: 9 }, (_, nth) => `t${first + nth}`)];
      await publish(alice, `tagged-${first}`, { title: "Aardvark", tags });
    }
    const { tag } = (await search("aardvark")).facets;
    expect(tag).toHaveLength(20);
    expect(tag.slice(0, 4)).toEqual([
      { value: "zoo", count: 3 },
      { value: "t18", count: 2 },
      { value: "t26", count: 2 },
      { value: "t10", count: 1 },
    ]);
  });

  test.for(["relevance", "newest", "stars"])("can be read page by page in the order %s", async (sort) => {
    const whole = await find("walrus", `&sort=${sort}`);
    for (const limit of [1, 2, 5]) {
      const read: string[] = [];
      for (let cursor = ""; ; ) {
        const page = await search("walrus", `&sort=${sort}&limit=${limit}${cursor}`);
        read.push(...page.items.map(nameOf));
        if (page.nextCursor === null) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      expect(read).toEqual(whole);
    }
  });

  test("marks what matches in plain text, in the fields that match alone", async () => {
    await publish(alice, "marked", {
      title: "Running <b>shoes</b>",
      files: filesOf(
        `${"Nothing here. ".repeat(20)}Then you run\n\tand\u202e \u0007ran & jump ${"on ".repeat(200)}`,
      ),
    });
    const [{ highlights }] = (await search("run")).items;
    expect(marked(highlights.title)).toBe("[Running] <b>shoes</b>");
    expect(highlights.summary).toBeUndefined();
    expect(marked(highlights.entry)).toMatch(/^….{20,60}Then you \[run\] and ran & jump (on )+on…$/);
    expect(marked(highlights.entry).length).toBeLessThan(220);
  });

  test.for([
    ["walnut", "Peel the [walnut] --- slowly."],
    ["hazel", "--- title: [Hazel] variables: - name: walnut --- Peel the walnut --- slowly."],
  ] as const)(
    "cuts the excerpt for %s from the text below the frontmatter, if it is there",
    async ([q, shown]) => {
      const content =
        "---\ntitle: Hazel\nvariables:\n  - name: walnut\n---\n\nPeel the walnut\n---\nslowly.\n";
      await publish(alice, `nut-${q}`, { files: [{ path: "PROMPT.md", content }] });
      const [{ highlights }] = (await search(q)).items;
      expect(marked(highlights.entry)).toBe(shown);
    },
  );

  test("marks names and bios of accounts", async () => {
    const [{ highlights, entity }] = (await search("elan")).items;
    expect([marked(highlights.name), entity.handle]).toEqual(["Dora [Élan]", "dora"]);
  });

  test.for([
    ["café", "Cafe for crème", "[Cafe] for crème"],
    ["STRASSE", "Die Straße hier", "Die [Straße] hier"],
    ["設計", "プロンプト設計入門", "プロンプト[設計]入門"],
    ["門", "日本語の門がある", "日本語の[門]がある"],
    ["ดีครับ", "สวัสดีครับ", "สวัส[ดีครับ]"],
  ] as const)("finds %s in a text with accents or without spaces", async ([q, title, shown]) => {
    await publish(alice, `found-${q.codePointAt(0)}`, { title });
    const { items } = await search(q, "&type=prompt");
    expect(items.map(({ highlights }: any) => marked(highlights.title))).toContain(shown);
  });

  test.for([" ", "-walrus", '"', "the", "!@#%", "猫".repeat(200), "a or -b ".repeat(25)])(
    "takes %j as words",
    async (q) => {
      expect(Array.isArray(await find(q))).toBe(true);
    },
  );

  test.for(["-walrus", "-walrus -lion", "walrus or -lion"])(
    "finds nothing by %j, which only excludes",
    async (q) => {
      expect((await search(q)).items).toEqual([]);
    },
  );

  test.for(["", "a\0", "x".repeat(201)])("refuses %j", async (q) => {
    const { status, json } = await server.anonymous(`GET /search?q=${encodeURIComponent(q)}`);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
  });

  test("refuses owner=me, and says where one's own prompts are searched", async () => {
    const { status, text } = await alice.request("GET /search?q=a&owner=me");
    expect([status, text.includes("GET /prompts")]).toEqual([422, true]);
  });
});

describe("what is not public", () => {
  test("is not found, not even by its owner", async () => {
    await publish(alice, "numbat-public", { title: "numbat" });
    await publish(alice, "numbat-private", { title: "numbat", visibility: "private" });
    await publish(alice, "numbat-unlisted", { title: "numbat", visibility: "unlisted" });
    await publish(alice, "numbat-draft", { title: "numbat", publish: false });
    await publish(alice, "numbat-deleted", { title: "numbat" });
    await alice.request("DELETE /prompts/alice/numbat-deleted");
    await server.join("numbat", { suspended: true });
    for (const who of [server.nobody, alice]) {
      const { items, facets } = await search("numbat", "", who);
      expect(items.map(nameOf)).toEqual(["numbat-public"]);
      expect(facets.type).toEqual([{ value: "prompt", count: 1 }]);
    }
  });

  test("is found if it is mature only by those who want to see it", async () => {
    await publish(alice, "quokka", { title: "quokka", rating: "mature" });
    expect(await find("quokka")).toEqual([]);
    const bob = await server.join("bob");
    await bob.request("PATCH /me", { body: { preferences: { showMature: true } } });
    expect(await find("quokka", "", bob)).toEqual(["quokka"]);
  });
});

describe("a collection", () => {
  const create = (title: string, fields: object = {}) =>
    alice.request("POST /collections", { body: { title, ...fields } });

  test("is found by its title and its description, while it is public", async () => {
    await create("Okapi prompts");
    await create("Other", { description: "Everything for the okapi" });
    await create("Okapi unlisted", { visibility: "unlisted" });
    await create("Okapi private", { visibility: "private" });
    const { json } = await create("Okapi deleted");
    await alice.request(`DELETE /collections/${json.id}`);
    for (const who of [server.nobody, alice]) {
      const { items, facets } = await search("okapi", "&type=collection", who);
      expect(items.map(({ entity }: any) => entity.title)).toEqual(["Okapi prompts", "Other"]);
      expect(marked(items[0].highlights.title)).toBe("[Okapi] prompts");
      expect(marked(items[1].highlights.description)).toBe("Everything for the [okapi]");
      expect(facets.type).toEqual([{ value: "collection", count: 2 }]);
    }
    expect((await search("okapi")).items).toHaveLength(2);
    for (const query of ["&type=prompt", "&type=user", "&kind=text", "&tag=a"])
      expect((await search("okapi", query)).items).toEqual([]);
  });

  test("comes before another with fewer items, and is found anew when its title changes", async () => {
    const { json } = await create("Tapir");
    await create("Tapir");
    await publish(alice, "in-it", { title: "Other" });
    const item = { type: "prompt", id: "alice/in-it" };
    await alice.request(`POST /collections/${json.id}/items`, { body: item });
    expect((await search("tapir")).items[0].entity.id).toBe(json.id);
    await alice.request(`PATCH /collections/${json.id}`, { body: { title: "Serval" } });
    expect((await search("serval")).items[0].entity).toMatchObject({ id: json.id, itemCount: 1 });
    expect((await search("tapir")).items).toHaveLength(1);
  });
});

test("a search that very many match ends after a thousand, and ranks those with many stars, or the newest", {
  tags: "long",
}, async () => {
  const herd = await server.join("gnu");
  await server.sql`
    insert into prompts (owner_id, slug, kind, title, visibility, rating, status, hourly_stars, published_at)
    select ${herd.id}, 'gnu-' || n, 'text', 'x', 'public', 'general', 'published', n, clock() - (1 + n / 3) * interval '1 hour'
    from generate_series(1, 5000) n`;
  await server.sql`
    insert into search_documents (type, id, document)
    select 'prompt', id, to_tsvector('english', 'gnu') || array_to_tsvector(search_terms(p))
    from prompts p where owner_id = ${herd.id}`;
  await server.sql`analyze prompts, search_documents`;
  const read = async (sort: string) => {
    const names: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await search("gnu", `&sort=${sort}&limit=90${cursor}`);
      names.push(...page.items.map(nameOf));
      if (page.nextCursor === null) return names;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  const starred = await read("relevance&type=prompt");
  // Any of 1,024 to 4,095 stars come after all that have more.
  expect([starred.length, new Set(starred).size, ...starred.slice(0, 905)]).toEqual([
    1000,
    1000,
    ...Array.from({ length: 905 }, (_, nth) => `gnu-${5000 - nth}`),
  ]);
  // Three are of the same hour, of which the ranked thousand have two.
  const newest = await server.sql`
    select slug from prompts where owner_id = ${herd.id} order by published_at desc, id desc limit 999`;
  expect(await read("newest")).toEqual(["@gnu", ...newest.map(({ slug }) => slug)]);
});

describe("a post", () => {
  test("is found by what everybody reads of it, and not by what its author writes", async () => {
    await server.sql`update users set trusted_author = true where id = ${alice.id}`;
    const { id } = (
      await alice.request("POST /posts", { body: { title: "On narwhals", body: "They dive", tags: ["sea"] } })
    ).json;
    const found = async (q: string) =>
      (await search(q, "&type=post")).items.map(({ entity }: any) => entity.id);
    expect(await found("narwhal")).toEqual([]);
    await alice.request(`POST /posts/${id}/submit`, { body: {} });
    await alice.request(`PATCH /posts/${id}`, { body: { body: "They surface" } });
    expect([await found("narwhal"), await found("narwhals dive"), await found("surface")]).toEqual([
      [id],
      [id],
      [],
    ]);
    const { items, facets } = await search("narwhal", "");
    expect(items[0]).toMatchObject({ type: "post", highlights: { title: [{}, { match: true }] } });
    expect(facets.type).toEqual([{ value: "post", count: 1 }]);
    await alice.request(`POST /posts/${id}/unpublish`, { body: {} });
    expect(await found("narwhal")).toEqual([]);
  });
});

test("sorted by stars, what nobody can star comes after all that somebody did", async () => {
  const author = await server.join("ibex");
  await server.sql`update users set trusted_author = true where id = ${author.id}`;
  await publish(author, "ibex", { title: "Ibex" });
  await server.sql`update prompts set hourly_stars = 1 where slug = 'ibex'`;
  await author.request("POST /collections", { body: { title: "Ibex" } });
  const { json } = await author.request("POST /posts", { body: { title: "Ibex", body: "It climbs" } });
  await author.request(`POST /posts/${json.id}/submit`, { body: {} });
  const typesOf = async (query: string) => (await search("ibex", query)).items.map(({ type }: any) => type);
  expect(await typesOf("&sort=stars")).toEqual(["prompt", "user", "post", "collection"]);
});

test("what is found is printed only if everybody finds it then, though an engine may lag behind", {
  tags: "long",
}, async () => {
  const author = await server.join("okapia");
  await server.sql`update users set trusted_author = true where id = ${author.id}`;
  const { id: prompt } = await publish(author, "okapia", { title: "Okapia" });
  const make = { title: "Okapia", slug: "okapia", body: "It hides", publish: true };
  const idOf = async (route: string, body: object): Promise<string> =>
    (await author.request(route, { body })).json.id;
  const ids = {
    prompt,
    make: await idOf("POST /makes", make),
    post: await idOf("POST /posts", { title: "Okapia", body: "It hides" }),
    collection: await idOf("POST /collections", { title: "Okapia" }),
    user: author.id,
  };
  await author.request(`POST /posts/${ids.post}/submit`, { body: {} });
  const { sql, context } = server;
  const viewing = { caller: null, ...siteOf(context) };
  const printed = async () => [
    ...(await selectFoundPrompts(sql, viewing, [ids.prompt])),
    ...(await selectFoundMakes(sql, viewing, [ids.make])),
    ...(await selectFoundPosts(sql, viewing, [ids.post])),
    ...(await selectFoundCollections(sql, viewing, [ids.collection])),
    ...(await selectFoundUsers(sql, viewing, [ids.user])),
  ];
  expect((await printed()).map(({ id }) => id)).toEqual(Object.values(ids));
  await author.request("PATCH /prompts/okapia/okapia", { body: { visibility: "unlisted" } });
  await author.request("PATCH /makes/okapia", { body: { visibility: "unlisted" } });
  await author.request(`POST /posts/${ids.post}/unpublish`, { body: {} });
  await author.request(`PATCH /collections/${ids.collection}`, { body: { visibility: "unlisted" } });
  await sql`update users set suspended_at = clock() where id = ${author.id}`;
  expect(await printed()).toEqual([]);
});

describe("a make", () => {
  test("is found by its texts, if it is public, with what of them matches", async () => {
    const make = (title: string, fields: object = {}) =>
      alice.request("POST /makes", {
        body: { title, body: "It paints an axolotl", publish: true, ...fields },
      });
    const { json } = await make("A painter", { summary: "Of axolotls", slug: "painter-of-axolotls" });
    await make("Unlisted", { visibility: "unlisted" });
    await make("Draft", { publish: false });
    for (const who of [server.nobody, alice]) {
      const { items, facets } = await search("axolotl", "&type=make", who);
      expect(items.map(({ entity }: { entity: { id: string } }) => entity.id)).toEqual([json.id]);
      expect(Object.keys(items[0].highlights)).toEqual(["summary", "body"]);
      expect(facets.type).toEqual([{ value: "make", count: 1 }]);
    }
    await alice.request("DELETE /makes/painter-of-axolotls");
    expect((await search("axolotl")).items).toEqual([]);
  });

  test("is found by its tags, its license and its maker, as a post is by its tags and author, and a collection by its owner", async () => {
    const body = "A quokka smiles";
    await alice.request("POST /makes", {
      body: { title: "Tagged", body, publish: true, tags: ["marsupial", "island"], license: "MIT" },
    });
    await alice.request("POST /makes", { body: { title: "Bare", body, publish: true } });
    const author = await server.join("quinn");
    await server.sql`update users set trusted_author = true where id = ${author.id}`;
    const post = { title: "Written", body, tags: ["marsupial"] };
    const { id } = (await author.request("POST /posts", { body: post })).json;
    expect((await author.request(`POST /posts/${id}/submit`, { body: {} })).status).toBe(200);
    await alice.request("POST /collections", { body: { title: "Quokkas", visibility: "public" } });
    const found = async (query: string) =>
      ((await search("quokka", query)).items as { entity: { title: string } }[])
        .map(({ entity }) => entity.title)
        .sort();
    expect(await found("")).toEqual(["Bare", "Quokkas", "Tagged", "Written"]);
    expect(await found("&tag=marsupial")).toEqual(["Tagged", "Written"]);
    expect(await found("&tag=marsupial&tag=island")).toEqual(["Tagged"]);
    expect(await found("&license=MIT")).toEqual(["Tagged"]);
    expect(await found("&owner=alice")).toEqual(["Bare", "Quokkas", "Tagged"]);
    expect(await found("&owner=quinn&tag=marsupial")).toEqual(["Written"]);
    expect(await found("&owner=quinn&tag=marsupial&type=make")).toEqual([]);
    expect(await found("&kind=text")).toEqual([]);
    expect((await search("quokka")).facets).toMatchObject({
      tag: [
        { value: "marsupial", count: 2 },
        { value: "island", count: 1 },
      ],
      license: [{ value: "MIT", count: 1 }],
    });
  });
});
