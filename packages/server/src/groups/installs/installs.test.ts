import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf, type Sender } from "../../../test/requests.ts";
import { trends } from "../index.ts";
import { rankPrompts } from "../prompts/rank.sql.ts";
import { deleteOldInstalls } from "./installs.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  await server.setClock("2030-01-15T12:00:00Z");
});
afterAll(() => server.stop());

const install = (who: Sender, slug: string, fields: object = {}) =>
  who.request(`POST /prompts/alice/${slug}/installs`, {
    body: { target: "cursor-rule", installationId: "my-laptop", ...fields },
  });
const isCounted = async (...given: Parameters<typeof install>) => {
  const { status, json } = await install(...given);
  expect(status).toBe(202);
  return json.recorded as boolean;
};
const countOf = async (slug: string) =>
  (await server.anonymous(`GET /prompts/alice/${slug}`)).json.counts.installs as number;
const statsOf = async (slug: string, window = "30d") =>
  (await server.anonymous(`GET /prompts/alice/${slug}/installs?window=${window}`)).json;

describe("an install", () => {
  test("counts once for an installation, a prompt and a target in 24 hours, with a token and without", async () => {
    await publish(alice, "counted");
    expect(await isCounted(server.nobody, "counted")).toBe(true);
    expect(await isCounted(bob, "counted")).toBe(false);
    expect(await isCounted(bob, "counted", { target: "zip" })).toBe(true);
    expect(await isCounted(bob, "counted", { installationId: "my-desktop" })).toBe(true);
    expect(await countOf("counted")).toBe(3);
    await server.setClock("2030-01-16T11:59:59Z");
    expect(await isCounted(bob, "counted")).toBe(false);
    await server.setClock("2030-01-16T12:00:00Z");
    expect(await isCounted(bob, "counted", { client: "a-cli" })).toBe(true);
    expect(await countOf("counted")).toBe(4);
    const [row] = await server.sql`select user_id, iso(at) as at from installs where client = 'a-cli'`;
    expect(row).toEqual({ user_id: bob.id, at: "2030-01-16T12:00:00.000Z" });
  });

  test("that is sent twice at the same time counts once", async () => {
    await publish(alice, "twice");
    const answers = await server.atOnce(
      (sql) => sql`select from prompts where slug = 'twice' for update`,
      [() => install(bob, "twice"), () => install(alice, "twice"), () => install(server.nobody, "twice")],
    );
    expect(answers.map(({ json }) => json.recorded).sort()).toEqual([false, false, true]);
    expect(await countOf("twice")).toBe(1);
  });

  test("waits for nobody who installs the same prompt", async () => {
    await publish(alice, "popular");
    await server.sql.begin(async (sql) => {
      await sql`select from prompts where slug = 'popular' for share`;
      await sql`insert into counter_changes (subject_id, name, delta) select id, 'installs', 1 from prompts where slug = 'popular'`;
      expect(await isCounted(bob, "popular")).toBe(true);
    });
  });

  test("stores a hash of the installation, and nothing that was sent as its id", async () => {
    await publish(alice, "hashed");
    await install(server.nobody, "hashed", { installationId: "a-secret-id", client: "promptreg-cli" });
    const [row] = await server.sql`
      select i.client, i.user_id, i::text as text from installs i join prompts p on p.id = i.prompt_id where p.slug = 'hashed'`;
    expect(row).toMatchObject({ client: "promptreg-cli", user_id: null });
    expect(row?.["text"]).not.toContain(Buffer.from("a-secret-id").toString("hex"));
  });

  test.each([
    [{ versionNumber: 2 }, 404, "not_found"],
    [{ label: "none" }, 404, "not_found"],
    [{ label: "latest", versionNumber: 1 }, 422, "validation_failed"],
    [{ target: "No Tool" }, 422, "validation_failed"],
    [{ target: "x".repeat(65) }, 422, "validation_failed"],
    [{ installationId: "" }, 422, "validation_failed"],
  ])("with %o is refused: %i %s", async (fields, ...refusal) => {
    await alice.request("POST /prompts", {
      body: {
        kind: "text",
        slug: "refused",
        title: "R",
        visibility: "public",
        files: [{ path: "PROMPT.md", content: "Hi" }],
      },
    });
    expect(codeOf(await install(bob, "refused", fields))).toEqual(refusal);
  });

  test("of what there is not says what that is", async () => {
    await publish(alice, "named");
    const messageOf = async (fields: object) => (await install(bob, "named", fields)).json.error.message;
    expect(await messageOf({ versionNumber: 2 })).toMatch(/alice\/named has no such version/);
    expect(await messageOf({ label: "none" })).toMatch(/alice\/named has no label none/);
  });

  test("needs a prompt that the caller sees, with a version", async () => {
    await publish(alice, "hidden", { visibility: "private" });
    expect(codeOf(await install(bob, "hidden"))).toEqual([404, "not_found"]);
    expect(await isCounted(alice, "hidden")).toBe(true);
    await publish(alice, "draft", { publish: false });
    expect(codeOf(await install(alice, "draft"))).toEqual([409, "prompt_not_published"]);
  });
});

describe("in rankings", () => {
  test("an account counts once, and not the owner, nor suspended accounts, nor whoever sends no token", async () => {
    await publish(alice, "ranked");
    const [carol, mallory] = [await server.join("carol"), await server.join("mallory")];
    for (const [nth, who] of [alice, bob, bob, carol, mallory, server.nobody].entries()) {
      expect(await isCounted(who, "ranked", { installationId: `installation ${nth}` })).toBe(true);
    }
    await server.sql`update users set suspended_at = clock() where id = ${mallory.id}`;
    const figures = async () => {
      await rankPrompts(server.sql, trends);
      const [row] = await server.sql`select hourly_installs, trending from prompts where slug = 'ranked'`;
      return row;
    };
    expect(await figures()).toEqual({ hourly_installs: 2, trending: expect.closeTo((2 * 2) / 2 ** 1.5) });
    // A trend is of fourteen days.
    await server.sql`update installers set at = clock() - interval '14 days'`;
    expect(await figures()).toEqual({ hourly_installs: 2, trending: 0 });
    expect(await countOf("ranked")).toBe(6);
  });
});

describe("the installs of a prompt", () => {
  test("are summed up for targets, versions and days of a window", async () => {
    await server.setClock("2030-05-01T12:00:00Z");
    await publish(alice, "shown", { versions: 2 });
    await install(bob, "shown", { versionNumber: 1, target: "zip" });
    await server.setClock("2030-05-20T12:00:00Z");
    for (const nth of [1, 2]) await install(server.nobody, "shown", { installationId: `number ${nth}` });
    await alice.request("PUT /prompts/alice/shown/labels/production", { body: { versionNumber: 1 } });
    await install(bob, "shown", { label: "production", target: "an-unknown.tool" });
    expect(await statsOf("shown")).toEqual({
      window: "30d",
      total: 4,
      byTarget: [
        { target: "cursor-rule", count: 2 },
        { target: "an-unknown.tool", count: 1 },
        { target: "zip", count: 1 },
      ],
      byVersion: [
        { versionNumber: 2, count: 2 },
        { versionNumber: 1, count: 2 },
      ],
      trend: [
        { date: "2030-05-01", count: 1 },
        { date: "2030-05-20", count: 3 },
      ],
    });
    expect(await statsOf("shown", "7d")).toMatchObject({ window: "7d", total: 3 });
    expect(await statsOf("shown", "365d")).toMatchObject({ total: 4 });
    await server.setClock("2030-05-30T12:00:00Z");
    expect((await statsOf("shown")).total).toBe(4);
    await server.setClock("2030-05-31T12:00:00Z");
    expect((await statsOf("shown")).total).toBe(3);
  });

  test("tell 100 targets of a day apart, since anybody can send any", async () => {
    await publish(alice, "flooded");
    const [{ id } = { id: "" }] = await server.sql<
      { id: string }[]
    >`select id from prompts where slug = 'flooded'`;
    await server.sql`
      insert into counters (subject_id, name, value)
      select ${id} || '/installs/target/' || (clock() at time zone 'UTC')::date, 'tool-' || i, 1 from generate_series(1, 100) i`;
    for (const target of ["new-one", "new-two", "tool-7"]) await install(bob, "flooded", { target });
    const { byTarget } = await statsOf("flooded");
    expect(byTarget).toHaveLength(50);
    expect(byTarget.slice(0, 3)).toEqual([
      { target: "other", count: 2 },
      { target: "tool-7", count: 2 },
      { target: "tool-1", count: 1 },
    ]);
  });

  test("stay when their records are deleted after 30 days", async () => {
    const records = async () => (await server.sql`select from installs`).count;
    const [before, kept] = [await countOf("shown"), await records()];
    for (const [days, left] of [
      [30, kept],
      [31, 0],
    ]) {
      await server.sql`update installs set at = clock() - make_interval(days => ${days ?? 0})`;
      await deleteOldInstalls(server.sql);
      expect(await records()).toBe(left);
    }
    expect(await countOf("shown")).toBe(before);
    expect((await statsOf("shown", "90d")).total).toBe(4);
  });
});
