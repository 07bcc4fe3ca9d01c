import { readdirSync, readFileSync } from "node:fs";
import { createClient } from "@promptreg/client";
import { createTestRegistry } from "@promptreg/client/testing";
import { searchWords } from "@promptreg/core/search";
import fc from "fast-check";
import postgres from "postgres";
import { describe, expect, inject, test } from "vitest";
import { englishStem } from "../../../client/src/testing/english.ts";
import { bothRegistries, type Side, text } from "./alike.ts";
import { isThorough } from "../../../core/src/testing/growth.ts";

const { expectAlike, create, commit, tokenOf } = bothRegistries();

/** A prompt of a later time, so that no two are equally new. */
async function add(side: Side, slug: string, more: object = {}) {
  await side.registry.clock.advance(1);
  return create(side, slug, more);
}

type Query = Record<string, string | number | readonly string[] | undefined>;

const path = (route: string, query: Query) => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  );
  return `GET /${route}?${new URLSearchParams(given)}`;
};

const search = ({ send }: Side, query: Query, token?: string | null) =>
  send(path("search", query), token === undefined ? {} : { token });

const suggest = ({ send }: Side, query: Query) => send(path("search/suggest", query));

/** The server suggests new tags when its worker has counted them. */
const countTags = ({ registry }: Side) => registry.deliver?.();

const entry = (content: string) => ({ files: text(content) });

describe("a search", () => {
  test("finds words in every form, phrases, alternatives and exclusions", { tags: "long" }, () =>
    expectAlike(async (side) => {
      await add(side, "reviewer", {
        title: "Friendly code reviewer",
        summary: "Reviews the code of pull requests",
        tags: ["code-review", "python"],
        license: "MIT",
        ...entry(
          "---\nconfig: { model: gpt-5-mini }\n---\nReview {{diff}} naïvely. Summarize the changes at 1e5.",
        ),
      });
      await add(side, "summary", {
        title: "Summarizing summaries",
        tags: ["python"],
        license: "Apache-2.0",
        ...entry(`${"Long texts are shortened. ".repeat(400)}Then summarize a change.`),
      });
      await add(side, "design", {
        title: "設計レビュー",
        summary: "AI設計の要約",
        ...entry("日本語で要約してください。"),
      });
      for (const q of [
        "review",
        "REVIEWED codes",
        '"code reviewer"',
        '"code of pull"',
        '"reviewer reviews"',
        "summary -python",
        "-python",
        "summary or reviewer",
        "summary or -reviewer",
        "naive",
        "the",
        "or",
        '"',
        "gpt 5 mini",
        "gpt-5",
        "1e5",
        "shortened",
        "added",
        "設計",
        "設",
        "AI設計",
        '-"レビュー" 要約',
        "nothing",
        "ada",
        "Ada or review",
        "!&|():*'\\",
      ])
        await search(side, { q });
      for (const query of [
        { kind: ["text", "chat"] },
        { kind: "skill" },
        { tag: ["python", "code-review"] },
        { owner: "ada" },
        { owner: "nobody" },
        { license: "mit" },
        { type: "user" },
        { type: "prompt" },
      ])
        await search(side, { q: "review or summary or ada", ...query });
    }),
  );

  test("finds only what everybody can see, by what it says now", { tags: "long" }, () =>
    expectAlike(async (side) => {
      const { send } = side;
      const token = await tokenOf(side, "zebra-keeper");
      for (const visibility of ["public", "unlisted", "private"])
        await add(side, `zebra-${visibility}`, { title: "Zebra", visibility });
      await add(side, "zebra-mature", { title: "Zebra", rating: "mature", tags: ["stripes"] });
      await add(side, "zebra-gone", { title: "Zebra", tags: ["stripes"] });
      await add(side, "zebra-old", { title: "Okapi", ...entry("A zebra") });
      const found = async () => {
        for (const as of [undefined, token, null]) await search(side, { q: "zebra" }, as);
        await search(side, { q: "okapi" });
        await countTags(side);
        await suggest(side, { q: "zeb" });
        await suggest(side, { q: "stri" });
      };
      await found();
      await send("DELETE /prompts/ada/zebra-gone");
      await send("PATCH /prompts/ada/zebra-public", { body: { slug: "zebra-renamed", title: "Gnu" } });
      await send("PATCH /prompts/ada/zebra-private", { body: { visibility: "public" } });
      await commit(side, "zebra-old", "An okapi");
      await found();
      await send("POST /prompts/ada/zebra-old/versions/2/yank", { body: {} });
      await found();
      await send("POST /prompts/ada/zebra-old/versions/1/yank", { body: {} });
      await found();
      await send("POST /prompts/ada/zebra-old/versions/1/restore", { body: {} });
      await found();
    }),
  );

  test("is refused where it breaks a rule, and gives pages", () =>
    expectAlike(async (side) => {
      const { send } = side;
      for (const nth of [1, 2, 3, 4, 5]) await add(side, `lemur-${nth}`, { title: "Lémur ".repeat(nth) });
      for (const query of [
        {},
        { q: "" },
        { q: " " },
        { q: "lemur", owner: "me" },
        { q: "lemur", sort: "size" },
        { q: "x".repeat(201) },
        { q: "lemur", cursor: "none" },
      ]) {
        await search(side, query);
        await send(path("search/suggest", query));
      }
      for (const sort of ["relevance", "newest", "stars"]) {
        const { json, headers } = await search(side, { q: "lémur", sort, limit: 2 });
        await search(side, { q: "lémur", sort, limit: 2, cursor: json.nextCursor });
        await search(side, { q: "lémur", sort, limit: 9, cursor: json.nextCursor });
        await search(side, { q: "lemur", sort, limit: 2, cursor: json.nextCursor });
        const held = { "if-none-match": headers.get("etag") ?? "" };
        await send(path("search", { q: "lémur", sort, limit: 2 }), { headers: held });
      }
      await send(path("search/suggest", { q: "lemur" }), { headers: { "if-none-match": "*" } });
    }));
});

test("more matches than the server ranks are refused in the light registry", { tags: "long" }, async () => {
  const registry = createTestRegistry();
  const { prompts, search } = createClient(registry);
  for (const nth of Array(1_001).keys()) {
    const body = {
      kind: "text",
      slug: `many-${nth}`,
      title: "Many",
      ...entry("Hi"),
      visibility: "public",
    } as const;
    await prompts.create({ body });
  }
  const told = { code: "not_in_test_registry", message: expect.stringContaining("over 1000 matches") };
  await expect(search.query({ query: { q: "many" } })).rejects.toMatchObject(told);
});

describe("a suggestion", () => {
  test("begins with what was typed, or is almost like it", { tags: "long" }, () =>
    expectAlike(async (side) => {
      await tokenOf(side, "heron-friend");
      for (const nth of Array(12).keys())
        await add(side, `heron-${nth}`, {
          title: `Heron watching ${nth}`,
          tags: ["heron", `heron-${nth % 3}`],
        });
      await add(side, "egret", { title: "Étude of friendly egrets", tags: ["friendly-birds"] });
      await countTags(side);
      const complete = [
        "h",
        "her",
        "HERON-1",
        "heron w",
        "ada/",
        "ada/heron-1",
        "Ada/Her",
        "nobody/",
        "etude",
        "étude",
      ];
      const misspelt = [
        "freindly",
        "egerts",
        "hreon",
        "heronn",
        "watchign",
        "zzzz",
        "frie",
        "fri",
        " egr ",
        "  ",
      ];
      for (const q of [...complete, ...misspelt]) {
        await suggest(side, { q });
        await suggest(side, { q, limit: 3 });
        for (const type of ["prompt", "tag", "user"]) await suggest(side, { q, type });
      }
    }),
  );
});

test("every word of our documents has the stem that PostgreSQL gives it", async ({ skip }) => {
  const sql = postgres(inject("postgres").url, { max: 1 });
  try {
    const [row] = await sql<
      { major: number }[]
    >`select current_setting('server_version_num')::int / 10000 as major`;
    skip((row?.major ?? 0) < 18, "it stems short words such as `added` otherwise");
    const docs = new URL("../../../../docs/", import.meta.url);
    const texts = readdirSync(docs, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => readFileSync(new URL(file, docs), "utf8"));
    const words = [...new Set(["added", "egging", ...texts.flatMap((text) => searchWords(text).split(" "))])];
    const stems = await sql<{ stem: string | null }[]>`
      select (ts_lexize('english_stem', word))[1] as stem from unnest(${words}::text[]) with ordinality w (word, nth)
      order by nth`;
    expect(words.map(englishStem)).toEqual(stems.map(({ stem }) => stem));
  } finally {
    await sql.end();
  }
});

const vocabulary = (
  "review reviews Reviewing reviewer code coding coded summary summaries summarize generalization generous the of and or not " +
  "naïve Straße Résumé GPT-5 gpt5 1e5 1e5x 42 4o don't e-mail friendly friend friends running runs ran https://example.com/a?b=1 " +
  "{{name}} **bold** customer customers' answer answers answered translation translate translated test testing tests it its " +
  "日本語 設計レビュー 要約 한국어 ภาษาไทย привет œuvre ½ x_y — … - \" ' fair fairly skies sky news agreed owed data.json"
).split(" ");
const word = fc.constantFrom(...vocabulary);
const wordsOf = (word: fc.Arbitrary<string>, maxLength: number) =>
  fc
    .array(fc.tuple(word, fc.constantFrom(" ", " ", " ", ", ", "\n", "-")), { minLength: 1, maxLength })
    .map((all) => all.flat().join("").trim());
const words = (maxLength: number) => wordsOf(word, maxLength);
const line = (text: string) => text.replace(/\s+/g, " ");
/** Of letters beyond ASCII, PostgreSQL's likeness depends on the locale of the database. */
const isPlain = (one: string) => /^[ -~]*$/.test(one.normalize("NFKD").replace(/[\u0300-\u036f]/g, ""));
const plainWords = (maxLength: number) =>
  wordsOf(fc.constantFrom(...vocabulary.filter(isPlain)), maxLength).map(line);
const tags = fc.uniqueArray(fc.constantFrom("code", "code-review", "testing", "gpt-5", "mail"), {
  maxLength: 3,
});
const license = fc.constantFrom("MIT", "Apache-2.0");
const kind = fc.constantFrom("text", "chat", "skill");

const prompt = fc.record(
  {
    title: plainWords(5),
    tags,
    license,
    summary: words(8).map(line),
    visibility: fc.constantFrom("public", "public", "public", "private"),
    rating: fc.constantFrom("general", "general", "mature"),
    files: fc
      .tuple(fc.boolean(), words(40), words(300))
      .map(([hasFrontmatter, head, body]) =>
        text(hasFrontmatter ? `---\nnote: ${JSON.stringify(head)}\n---\n${body}` : body),
      ),
  },
  { requiredKeys: ["title", "files"] },
);

const term = fc.oneof(
  { weight: 4, arbitrary: word },
  words(3).map((text) => `"${text.replaceAll('"', "")}"`),
  word.map((text) => `-${text}`),
  fc.constant("or"),
);
const q = fc.array(term, { minLength: 1, maxLength: 4 }).map((terms) => terms.join(" ").slice(0, 200));
const query = fc.record(
  {
    q,
    type: fc.constantFrom("prompt", "user"),
    kind: fc.uniqueArray(kind, { minLength: 1 }),
    tag: tags,
    owner: fc.constantFrom("ada", "bob", "nobody"),
    license,
    sort: fc.constantFrom("relevance", "newest", "stars"),
    limit: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ["q"] },
);
/** Usually no filter, or everything would be found by none. */
const queries = fc.array(
  fc
    .tuple(query, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([{ q, sort, limit, ...filters }, chance]) => {
      const kept = Object.entries(filters).slice(0, Math.floor(chance * 3));
      return { q, ...(sort && { sort }), ...(limit && { limit }), ...Object.fromEntries(kept) };
    }),
  { minLength: 8, maxLength: 8 },
);
const typed = fc.array(
  fc.tuple(plainWords(2), fc.integer({ min: 1, max: 9 })).map(([text, length]) => text.slice(0, length)),
  { minLength: 3, maxLength: 3 },
);

test("whatever is stored and searched for is found alike", { tags: "long" }, async () => {
  let nth = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(prompt, { minLength: 1, maxLength: 5 }),
      queries,
      typed,
      async (prompts, queries, typed) => {
        const first = nth;
        nth += prompts.length;
        await expectAlike(async (side) => {
          for (const [at, one] of prompts.entries()) await add(side, `random-${first + at}`, one);
          for (const query of queries) {
            const { json } = await search(side, query);
            if (json.nextCursor) await search(side, { ...query, cursor: json.nextCursor });
          }
          await countTags(side);
          for (const q of typed) if (q.trim() !== "") await suggest(side, { q });
          if (first % 3 === 0) await side.send(`DELETE /prompts/ada/random-${first}`);
        });
      },
    ),
    { numRuns: isThorough ? 80 : 3, endOnFailure: true },
  );
});
