import { Leaderboard } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { trends } from "../index.ts";
import { computeBoards } from "./compute.ts";

let server: TestServer;
const people: Record<string, Person> = {};
let now = Date.parse("2030-01-01T00:00:00Z");

beforeAll(async () => {
  server = await startTestServer();
  for (const handle of ["alice", "bob", "carol", "dave", "mallory"])
    people[handle] = await server.join(handle);
});
afterAll(() => server.stop());

const person = (handle: string) => people[handle] as Person;
const wait = async (hours: number) => {
  now += hours * 3_600_000;
  await server.setClock(new Date(now).toISOString());
};
const count = async () => {
  await wait(1);
  await computeBoards(server.context, trends);
};
const star = (handle: string, ref: string) => done(person(handle), `POST /${ref}/star`);
const makeOf = (handle: string, slug: string, body: object = {}) =>
  done(person(handle), "POST /makes", { title: slug, slug, body: "It greets", publish: true, ...body });

const get = async (path: string, who: Pick<Person, "request"> = server.nobody): Promise<Leaderboard> => {
  const { status, json, text } = await who.request(`GET /leaderboards/${path}`);
  expect(status < 300 || text).toBe(true);
  expect(Leaderboard.safeParse(json).error).toBeUndefined();
  return json;
};
const nameOf = (entity: any): string => entity.prompt?.slug ?? entity.slug ?? entity.handle;
/** What a board shows, as `rank name score`, with the rank of an hour before. */
const shown = async (path: string, who?: Pick<Person, "request">) =>
  (await get(path, who)).items.map(
    ({ rank, previousRank, score, entity }) => `${rank} (${previousRank ?? "-"}) ${nameOf(entity)} ${score}`,
  );

test("before the first count a board is empty, and says so", async () => {
  expect(await get("prompts")).toEqual({
    board: "prompts",
    window: "7d",
    computedAt: null,
    items: [],
    nextCursor: null,
  });
});

test("there is no other board, and no filter that a board does not have", async () => {
  const asked = async (path: string) => codeOf(await server.anonymous(`GET /leaderboards/${path}`));
  expect(await asked("posts")).toEqual([404, "not_found"]);
  for (const query of [
    "makes?kind=text",
    "creators?kind=text",
    "creators?tag=poem",
    "prompts?window=1y",
    "prompts?x=1",
  ])
    expect([query, ...(await asked(query))]).toEqual([query, 422, "validation_failed"]);
  for (const filter of ["kind", "tag"])
    expect(
      (await server.anonymous(`GET /leaderboards/creators?${filter}=text`)).json.error.details,
    ).toMatchObject([{ path: `/${filter}`, code: "unrecognized_keys" }]);
});

describe("what counts", () => {
  test("of prompts: stars, forks, installs and approved makes of others, once for each person and kind of act", async () => {
    await wait(0);
    await publish(person("alice"), "first", { tags: ["poem"] });
    await publish(person("alice"), "second", { kind: "text" });
    for (const handle of ["alice", "bob", "carol"]) await star(handle, "prompts/alice/first");
    await done(person("bob"), "POST /prompts/alice/second/forks", { slug: "fork-1" });
    await done(person("bob"), "POST /prompts/alice/second/forks", { slug: "fork-2" });
    await server.sql`
      insert into installers (prompt_id, user_id) select id, ${person("bob").id} from prompts where slug = 'second'`;
    await makeOf("alice", "own-bot", { prompts: [{ prompt: "alice/second" }] });
    const { links } = await makeOf("bob", "bot", { prompts: [{ prompt: "alice/second" }] });
    await count();
    expect(await shown("prompts")).toEqual(["1 (-) second 7", "2 (-) first 6"]);
    await done(person("alice"), `POST /makes/bot/prompts/${links[0].id}/approve`);
    await star("dave", "prompts/alice/first");
    for (const ref of ["prompts/alice/first", "makes/bot"]) await star("mallory", ref);
    await server.sql`update users set suspended_at = clock() where handle = 'mallory'`;
    await count();
    expect(await shown("prompts")).toEqual(["1 (1) second 11", "2 (2) first 9"]);
  });

  test("of makes: stars and remixes of others", async () => {
    for (const handle of ["bob", "carol"]) await star(handle, "makes/bot");
    await makeOf("carol", "other-bot");
    for (const slug of ["one", "two"]) {
      const { slug: remix } = await done(person("dave"), "POST /makes/other-bot/remix", {});
      await done(person("dave"), `PATCH /makes/${remix}`, { status: "published", slug });
    }
    // Nor does one count that lists do not show.
    const { slug: hidden } = await done(person("bob"), "POST /makes/other-bot/remix", {});
    await done(person("bob"), `PATCH /makes/${hidden}`, { status: "published", visibility: "unlisted" });
    await count();
    expect(await shown("makes")).toEqual(["1 (-) other-bot 5", "2 (-) bot 3"]);
  });

  test("of creators: what their public works have", async () => {
    await publish(person("bob"), "of-bob");
    await star("carol", "prompts/bob/of-bob");
    await publish(person("carol"), "hidden");
    await star("bob", "prompts/carol/hidden");
    await done(person("carol"), "PATCH /prompts/carol/hidden", { visibility: "unlisted" });
    await makeOf("carol", "hidden-bot", { visibility: "unlisted" });
    await star("bob", "makes/hidden-bot");
    await count();
    expect(await shown("creators")).toEqual(["1 (1) alice 20", "2 (3) bob 6", "3 (2) carol 5"]);
  });

  test("only what happened in the window", async () => {
    await wait(24);
    await star("dave", "prompts/bob/of-bob");
    await count();
    expect(await shown("prompts?window=24h")).toEqual(["1 (3) of-bob 3"]);
    expect(await shown("prompts?window=7d")).toEqual(["1 (1) second 11", "2 (2) first 9", "3 (3) of-bob 6"]);
    const starredAt = now - 3_600_000;
    for (const [window, hours] of [
      ["24h", 24],
      ["7d", 24 * 7],
      ["30d", 24 * 30],
    ] as const) {
      now = starredAt + (hours - 1.5) * 3_600_000;
      await count();
      expect([window, ...(await shown(`prompts?window=${window}`))]).toContainEqual(
        expect.stringContaining("of-bob"),
      );
      // At the end of its last hour, exactly.
      now -= 1_800_000;
      await count();
      expect([window, ...(await shown(`prompts?window=${window}`))]).toEqual([window]);
    }
    expect(await shown("creators?window=30d")).toEqual([]);
    expect(await shown("creators?window=all")).toHaveLength(3);
  });
});

describe("what is shown", () => {
  test("is what a viewer finds now, with places that tell nothing of the rest", async () => {
    const all = () => shown("prompts?window=all");
    const before = ["1 (1) second 11", "2 (2) first 9", "3 (3) of-bob 6"];
    expect(await all()).toEqual(before);
    const edit = (body: object) => done(person("alice"), "PATCH /prompts/alice/second", body);
    const without = ["1 (1) first 9", "2 (2) of-bob 6"];
    for (const visibility of ["private", "unlisted"]) {
      await edit({ visibility });
      expect(await all()).toEqual(without);
      expect(await shown("prompts?window=all", person("alice"))).toEqual(without);
    }
    await edit({ visibility: "public", rating: "mature" });
    expect(await all()).toEqual(without);
    await done(person("dave"), "PATCH /me", { preferences: { showMature: true } });
    expect(await shown("prompts?window=all", person("dave"))).toEqual(before);
    await edit({ rating: "general" });
    expect(await shown("makes?window=all")).toEqual(["1 (1) other-bot 5", "2 (2) bot 3"]);
    await server.sql`update users set suspended_at = clock() where handle = 'carol'`;
    expect(await shown("makes?window=all")).toEqual(["1 (1) bot 3"]);
    await server.sql`update users set suspended_at = null where handle = 'carol'`;
    await server.sql`update users set suspended_at = clock() where handle = 'alice'`;
    expect(await all()).toEqual(["1 (1) of-bob 6"]);
    expect(await shown("creators?window=all")).toEqual(["1 (1) bob 9", "2 (2) carol 5"]);
    await server.sql`update users set suspended_at = null where handle = 'alice'`;
    expect(await all()).toEqual(before);
  });

  test("can be filtered: places are those among what fits", async () => {
    expect(await shown("prompts?window=all&tag=poem")).toEqual(["1 (1) first 9"]);
    expect(await shown("prompts?window=all&kind=skill")).toEqual([]);
    expect(await shown("prompts?window=all&kind=text")).toHaveLength(3);
    expect(await shown("makes?window=all&tag=poem")).toEqual([]);
  });
});
