import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { expectDone } from "../../../test/scenes.ts";
import type { Trend } from "../../kernel/group.ts";
import { trends } from "../index.ts";
import { rankPrompts } from "./rank.sql.ts";

let server: TestServer;
let alice: Person;
const people: Person[] = [];
const files = [{ path: "PROMPT.md", content: "Hello" }];

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  for (const handle of ["bob", "carol"]) people.push(await server.join(handle));
  people.push(await server.join("mallory", { suspended: true }));
  await server.sql`create table acts (prompt_id text, user_id text, at timestamptz)`;
});
afterAll(() => server.stop());
beforeEach(() => server.setClock("2030-01-15T12:00:00Z"));

/** An act with twice the weight of the other kind. */
const likes: Trend = {
  weight: 2,
  acts: (sql, { promptIds, since }) => sql`
    select prompt_id, user_id, at from acts where prompt_id = any (${[...promptIds]}) and at > ${since}`,
};
const reads: Trend = { ...likes, weight: 1 };

async function publish(slug: string): Promise<string> {
  const body = { kind: "text", slug, title: slug, visibility: "public", files };
  return (await alice.request("POST /prompts", { body })).json.id as string;
}
const act = (promptId: string, who: Person, at = "2030-01-15T11:00:00Z") =>
  server.sql`insert into acts values (${promptId}, ${who.id}, ${at})`;
const figuresOf = async (id: string) =>
  (
    await server.sql`select trending, hourly_stars, hourly_installs, revision::int from prompts where id = ${id}`
  )[0];

describe("the ranking of prompts", () => {
  test("sums weights of what others did in fourteen days, once for each person and kind, divided by age", async () => {
    const id = await publish("liked");
    const [bob, carol, suspended] = people as [Person, Person, Person];
    for (const who of [bob, bob, carol, suspended, alice]) await act(id, who);
    await rankPrompts(server.sql, [likes]);
    expect((await figuresOf(id))?.["trending"]).toBeCloseTo((2 * 2) / 2 ** 1.5, 9);
    await rankPrompts(server.sql, [likes, reads]);
    expect((await figuresOf(id))?.["trending"]).toBeCloseTo((2 * 2 + 2 * 1) / 2 ** 1.5);
    await server.setClock("2030-01-16T00:00:00Z");
    await rankPrompts(server.sql, [likes]);
    expect((await figuresOf(id))?.["trending"]).toBeCloseTo((2 * 2) / 14 ** 1.5, 9);
    await server.setClock("2030-01-29T10:59:00Z");
    await rankPrompts(server.sql, [likes]);
    expect((await figuresOf(id))?.["trending"]).toBeGreaterThan(0);
    await server.setClock("2030-01-29T11:00:00Z");
    await rankPrompts(server.sql, [likes]);
    expect((await figuresOf(id))?.["trending"]).toBe(0);
  });

  test("counts people for the figures of lists: others, not suspended, once each and since ever", async () => {
    const id = await publish("counted");
    const before = await figuresOf(id);
    const [bob, carol, suspended] = people as [Person, Person, Person];
    for (const who of [bob, bob, carol, suspended, alice]) await act(id, who, "2020-01-01T00:00:00Z");
    await rankPrompts(server.sql, [{ ...likes, hourly: "stars" }]);
    expect(await figuresOf(id)).toEqual({ ...before, hourly_stars: 2 });
    await rankPrompts(server.sql, [{ ...likes, hourly: "installs" }]);
    expect(await figuresOf(id)).toEqual({ ...before, hourly_installs: 2 });
  });

  test("writes only what changed: a document where the tier of its stars did", async () => {
    const id = await publish("unchanged");
    const bob = people[0] as Person;
    const written = async (trend: Trend) => {
      await rankPrompts(server.sql, [trend]);
      const [row] = await server.sql`
        select p.xmin as prompt, d.xmin as document from prompts p join search_documents d using (id) where id = ${id}`;
      return row;
    };
    const before = await written(likes);
    expect(await written(likes)).toEqual(before);
    await act(id, bob);
    const after = await written(likes);
    expect([after?.["prompt"] === before?.["prompt"], after?.["document"]]).toEqual([
      false,
      before?.["document"],
    ]);
  });

  test("goes by forks, makes, stars and installs, each for its own prompt and as much as it weighs", async () => {
    const bob = people[0] as Person;
    const [acted, idle] = [await publish("acted"), await publish("idle")];
    await expectDone(bob, "POST /prompts/alice/acted/forks", {});
    await expectDone(bob, "POST /prompts/alice/acted/star");
    await expectDone(bob, "POST /prompts/alice/acted/installs", {
      target: "cursor-rule",
      installationId: "a laptop",
    });
    const make = { title: "A bot", body: "It acts", prompts: [{ prompt: "alice/acted" }], publish: true };
    const { slug, links } = await expectDone(bob, "POST /makes", make);
    await expectDone(alice, `POST /makes/${slug}/prompts/${links[0].id}/approve`);
    const points = async (hours: number) => {
      const found: number[] = [];
      for (const trend of trends) {
        await rankPrompts(server.sql, [trend]);
        expect(await figuresOf(idle)).toMatchObject({ trending: 0, hourly_stars: 0, hourly_installs: 0 });
        found.push(Math.round((await figuresOf(acted))?.["trending"] * (hours + 2) ** 1.5));
      }
      return found.sort();
    };
    expect(await points(0)).toEqual([2, 3, 4, 5]);
    await server.setClock("2030-01-29T12:00:00Z");
    expect(await points(14 * 24)).toEqual([0, 0, 0, 0]);
  });

  test("is only for published prompts that are not deleted, and for more than one statement's", async () => {
    const draft = { kind: "text", slug: "draft", title: "Draft", files, publish: false };
    const { id } = (await alice.request("POST /prompts", { body: draft })).json;
    const deleted = await publish("deleted");
    await alice.request("DELETE /prompts/alice/deleted");
    await server.sql`
      insert into prompts (id, owner_id, slug, kind, title, visibility, rating, status, published_at)
      select new_id('prm'), ${alice.id}, 'many-' || i, 'text', 'Many', 'public', 'general', 'published', clock()
      from generate_series(1, 1001) i`;
    const bob = people[0] as Person;
    await server.sql`
      insert into acts select id, ${bob.id}, clock() from prompts where slug like 'many-%' or slug in ('draft', 'deleted')`;
    await rankPrompts(server.sql, [{ ...likes, hourly: "stars" }]);
    const [row] =
      await server.sql`select sum(hourly_stars)::int as sum from prompts where slug like 'many-%'`;
    expect(row).toEqual({ sum: 1001 });
    for (const one of [id, deleted]) expect(await figuresOf(one)).toMatchObject({ hourly_stars: 0 });
  });
});
