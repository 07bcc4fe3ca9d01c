import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { promptOf, publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";
import { flushCounters } from "../../kernel/changes/counters.ts";
import { rankPrompts } from "../prompts/rank.sql.ts";
import { stars } from "./index.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const star = (who: Person, slug: string) => who.request(`POST /prompts/alice/${slug}/star`);
const unstar = (who: Person, slug: string) => who.request(`DELETE /prompts/alice/${slug}/star`);
const starsOf = async (slug: string) => {
  const { json } = await bob.request(`GET /prompts/alice/${slug}`);
  return [json.viewer.starred, json.counts.stars];
};
const rowsOf = async (slug: string) =>
  (await server.sql`select from stars s join prompts p on p.id = s.prompt_id where p.slug = ${slug}`).count;
const turn = (slug: string, visibility: string) =>
  alice.request(`PATCH /prompts/alice/${slug}`, { body: { visibility } });
const listOf = async (who: Person, query = "") =>
  (await itemsOf(who, `GET /me/stars?${query}`)).map(({ prompt }) => prompt.slug);

describe("a star", () => {
  test("is counted once, in its own answer too, and shows wherever the prompt is", async () => {
    await publish(alice, "liked");
    for (const _ of [1, 2]) {
      const { status, json } = await star(bob, "liked");
      expect([status, json]).toEqual([200, { starred: true, starCount: 1 }]);
    }
    expect((await star(alice, "liked")).json.starCount).toBe(2);
    expect(await starsOf("liked")).toEqual([true, 2]);
    const { json } = await server.anonymous("GET /prompts/alice/liked");
    expect([json.viewer, json.counts.stars]).toEqual([undefined, 2]);
  });

  test("ends when it is said, and once more says nothing new", async () => {
    await publish(alice, "left");
    await star(alice, "left");
    await star(bob, "left");
    for (const _ of [1, 2]) {
      const { status, json } = await unstar(bob, "left");
      expect([status, json]).toEqual([200, { starred: false, starCount: 1 }]);
    }
    expect(await starsOf("left")).toEqual([false, 1]);
  });

  test("needs a published prompt", async () => {
    await publish(alice, "draft", { publish: false });
    const { status, json } = await star(alice, "draft");
    expect([status, json.error.code]).toEqual([409, "prompt_not_published"]);
  });

  test("lets a prompt trend for fourteen days, three times what it weighs, and sorts it before others", async () => {
    await server.setClock("2030-01-15T12:00:00Z");
    for (const slug of ["best", "good"]) await publish(alice, slug);
    await star(alice, "good");
    for (const who of [alice, bob]) await star(who, "best");
    await flushCounters(server.sql);
    const trending = async () => {
      await rankPrompts(server.sql, [stars.trend]);
      const [best] = await server.sql`select trending from prompts where slug = 'best'`;
      return best?.["trending"];
    };
    expect(await trending()).toBeCloseTo(3 / 2 ** 1.5);
    const { json } = await bob.request("GET /prompts?sort=stars&limit=1");
    expect(json.items[0].slug).toBe("best");
    await server.sql`update stars set starred_at = clock() - interval '15 days'`;
    expect(await trending()).toBe(0);
  });

  test("counts for the account while its prompt is public", async () => {
    const carol = await server.join("carol");
    for (const slug of ["one", "two"]) {
      await publish(carol, slug);
      await bob.request(`POST /prompts/carol/${slug}/star`);
    }
    const counted = async () => (await server.anonymous("GET /users/carol")).json.counts.stars;
    expect(await counted()).toBe(2);
    await carol.request("PATCH /prompts/carol/two", { body: { visibility: "unlisted" } });
    expect(await counted()).toBe(1);
    expect((await carol.request("GET /me")).json.counts.stars).toBe(1);
  });
});

describe("at the same time", () => {
  /** Sends requests that all wait for a prompt, and lets them go together. */
  const atOnce = (slug: string, ...requests: Parameters<TestServer["atOnce"]>[1]) =>
    server.atOnce((sql) => sql`select from prompts where slug = ${slug} for update`, requests);

  test("stars wait for nobody who stars the same prompt", async () => {
    await publish(alice, "popular");
    const [{ id } = { id: "" }] = await server.sql<
      { id: string }[]
    >`select id from prompts where slug = 'popular'`;
    await server.sql.begin(async (sql) => {
      await sql`select from prompts where id = ${id} for share`;
      await sql`insert into stars (prompt_id, user_id, kind) values (${id}, ${alice.id}, 'text')`;
      expect((await star(bob, "popular")).json).toEqual({ starred: true, starCount: 1 });
    });
  });

  test("two stars of one account are one", async () => {
    await publish(alice, "twice");
    const answers = await atOnce(
      "twice",
      () => star(bob, "twice"),
      () => star(bob, "twice"),
    );
    expect(answers.map(({ json }) => json)).toEqual([1, 2].map(() => ({ starred: true, starCount: 1 })));
    expect(await starsOf("twice")).toEqual([true, 1]);
  });

  test("stars and their ends leave as many as are counted", async () => {
    await publish(alice, "wavering");
    const act = [star, unstar, star, unstar, star].map((one) => () => one(bob, "wavering"));
    await atOnce("wavering", ...act, () => star(alice, "wavering"));
    const [isStarred, count] = await starsOf("wavering");
    expect(await rowsOf("wavering")).toBe(count);
    expect(count).toBe(isStarred ? 2 : 1);
  });

  test("a star on a prompt that turns private came before that, or is none", async () => {
    await publish(alice, "closing");
    const [closed, starred] = await atOnce(
      "closing",
      () => turn("closing", "private"),
      () => star(bob, "closing"),
    );
    expect(closed?.status).toBe(200);
    expect(await rowsOf("closing")).toBe(starred?.status === 200 ? 1 : 0);
    expect([200, 404]).toContain(starred?.status);
    expect((await star(bob, "closing")).status).toBe(404);
  });
});

describe("the list of what an account starred", () => {
  let dora: Person;

  beforeAll(async () => {
    dora = await server.join("dora");
    await server.setClock("2030-02-01T12:00:00Z");
    await publish(alice, "first");
    const files = [{ path: "COMMAND.md", content: "Hi" }];
    await alice.request("POST /prompts", { body: promptOf("second", { kind: "command", files }) });
    await publish(alice, "third", { visibility: "unlisted" });
    await star(dora, "first");
    await server.setClock("2030-02-01T12:00:01Z");
    for (const slug of ["third", "second"]) await star(dora, slug);
  });

  test.for([1, 2, 100])(
    "has the newest star first, and keeps those of one moment apart, in pages of %i",
    async (limit) => {
      const slugs = await listOf(dora, `limit=${limit}`);
      expect([slugs.slice(0, 2).sort(), slugs.slice(2)]).toEqual([["second", "third"], ["first"]]);
    },
  );

  test("can be of one kind", async () => {
    expect(await listOf(dora, "kind=command")).toEqual(["second"]);
  });

  test("says of each since when", async () => {
    const { json } = await dora.request("GET /me/stars?kind=command");
    expect(json).toMatchObject({
      items: [
        { starredAt: "2030-02-01T12:00:01.000Z", prompt: { ref: "alice/second", viewer: { starred: true } } },
      ],
      nextCursor: null,
    });
  });

  test("leaves out what turned private until it comes back, and the star with it", async () => {
    await turn("first", "private");
    expect(await listOf(dora)).not.toContain("first");
    expect((await unstar(dora, "first")).status).toBe(404);
    await turn("first", "public");
    expect(await listOf(dora)).toContain("first");
  });
});
