import { rateLimits } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ada, bob, command, type DiscordUser, interact } from "../../../test/discord.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf } from "../../../test/requests.ts";
import { liftLimits } from "../../../test/stage.ts";
import { createRateLimiter } from "../../kernel/rate-limits/rate-limit.ts";
import { sweepCodes } from "./codes.sql.ts";

let server: TestServer;
let alice: Person;
let carol: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  await server.setClock("2030-01-01T00:00:00.000Z");
  alice = await server.join("alice");
  carol = await server.join("carol");
});
afterAll(() => server.stop());

const say = async (by: DiscordUser, id?: string): Promise<{ flags: number; content: string }> =>
  (await interact(server, command("link", {}, { by, ...(id !== undefined && { id }) }))).json.data;
const codeFor = async (by: DiscordUser): Promise<string> => {
  const { flags, content } = await say(by);
  expect(flags).toBe(64);
  const [, code = ""] = /\*\*([2-9A-HJKMNP-Z]{8})\*\*/.exec(content) ?? [];
  expect(content).toContain(`promptreg discord link ${code}`);
  return code;
};
const put = (who: Person, code: string, headers?: Record<string, string>) =>
  who.request("PUT /me/discord", { body: { code }, ...(headers && { headers }) });
const linkOf = async (who: Person) => (await who.request("GET /me")).json.discord;
const refused = [422, "invalid_code"];

describe("a code of /link", () => {
  test("links an account once, whatever its case, and /me shows it under another ETag", async () => {
    const before = (await alice.request("GET /me")).headers.get("etag") ?? "";
    const code = await codeFor(ada);
    const discord = { userId: ada.id, username: "ada.l", linkedAt: "2030-01-01T00:00:00.000Z" };
    const { status, json } = await put(alice, ` ${code.toLowerCase()} `);
    expect([status, json]).toEqual([200, { discord }]);
    const me = await alice.request("GET /me", { headers: { "if-none-match": before } });
    expect([me.status, me.json.discord]).toEqual([200, discord]);
    expect(codeOf(await put(carol, code))).toEqual(refused);
    // What was sent again, because its answer was lost.
    await server.setClock("2030-01-01T00:05:00.000Z");
    expect((await put(alice, code)).json).toEqual({ discord });
    await alice.request("DELETE /me/discord");
    expect(codeOf(await put(alice, code))).toEqual(refused);
    expect(await linkOf(alice)).toBeNull();
  });

  test("works for ten minutes by the clock of the database", async () => {
    const [first, second] = [await codeFor(ada), await codeFor(bob)];
    await server.setClock("2030-01-01T00:14:59.999Z");
    expect((await put(alice, first)).status).toBe(200);
    await server.setClock("2030-01-01T00:15:00.000Z");
    expect(codeOf(await put(alice, second))).toEqual(refused);
    expect(codeOf(await put(alice, first))).toEqual(refused);
  });

  test("is replaced by the next one, and stored as a hash alone", async () => {
    const [old, code] = [await codeFor(ada), await codeFor(ada)];
    expect(codeOf(await put(alice, old))).toEqual(refused);
    const rows = await server.sql`select c::text as row, code_hash from discord_codes c`;
    expect(rows.filter(({ row }) => row.includes(code))).toEqual([]);
    expect(rows.map(({ code_hash: hash }) => hash.length)).toContain(32);
    expect((await put(alice, code)).status).toBe(200);
  });

  test("is made once for each command, in their order, however often it is sent", async () => {
    const code = await codeFor(bob);
    const [row] = await server.sql<{ id: string }[]>`
      select interaction_id::text as id from discord_codes where discord_id = ${bob.id}`;
    for (const id of [row?.id ?? "", "1"])
      expect((await say(bob, id)).content).toMatch(/^This command was answered already/);
    expect((await put(alice, code)).status).toBe(200);
    // After it was used, too.
    expect((await say(bob, row?.id)).content).toMatch(/^This command was answered already/);
  });

  test.each(["", "x", "2345", "ABCDEFGHI", "'; drop table users", "\u0130".repeat(8), "x".repeat(100)])(
    "is not %j",
    async (code) => {
      const { status, json } = await put(alice, code);
      expect([status, json.error.code]).toEqual([422, code === "" ? "validation_failed" : "invalid_code"]);
    },
  );

  test("is tried ten times in ten minutes by an account, and others still can", async () => {
    const limiter = createRateLimiter({ ...server.context, limits: rateLimits });
    await limiter.start();
    limiter.stop();
    const before = server.context.limiter;
    server.context.limiter = limiter;
    try {
      const code = await codeFor(ada);
      for (let nth = 0; nth < 10; nth++) expect(codeOf(await put(carol, "WRXNGCDE"))).toEqual(refused);
      expect(codeOf(await put(carol, code))).toEqual([429, "rate_limited"]);
      expect((await put(alice, code)).status).toBe(200);
    } finally {
      server.context.limiter = before;
    }
  });

  test("is deleted after its time, and not before", async () => {
    await codeFor(ada);
    await server.setClock("2030-01-01T00:25:00.000Z");
    const left = async () => (await server.sql`select from discord_codes`).count;
    await codeFor(bob);
    await sweepCodes(server.sql);
    expect(await left()).toBe(1);
  });

  test("is refused by a server that is not set up, where links can still be removed", async () => {
    const code = await codeFor(ada);
    const key = server.context.discordKey;
    server.context.discordKey = null;
    try {
      const refused = await put(alice, code);
      expect(codeOf(refused)).toEqual([503, "discord_unavailable"]);
      // No client need try again.
      expect(refused.headers.get("retry-after")).toBe(null);
      expect((await alice.request("DELETE /me/discord")).status).toBe(204);
    } finally {
      server.context.discordKey = key;
    }
    expect(await linkOf(alice)).toBeNull();
  });
});

describe("a link", () => {
  const rename = (who: Person, etag: string) =>
    who.request("PATCH /me", { body: { name: "Ada" }, headers: { "if-match": etag } });
  const audited = async (who: Person) =>
    (
      await server.sql`select action, data from audit_log where target = ${who.id} order by id desc limit 1`
    )[0];

  test("moves to whoever proves it by a code, and both accounts see that, and nobody else", async () => {
    for (const _ of [1, 2]) await put(alice, await codeFor(ada));
    expect(await audited(alice)).toEqual({
      action: "discord.link",
      data: { discordId: ada.id, formerId: null },
    });
    const dora = await server.join("dora");
    const ofDora = (await dora.request("GET /me")).headers.get("etag");
    const etag = (await alice.request("GET /me")).headers.get("etag") ?? "";
    expect((await put(carol, await codeFor(ada))).status).toBe(200);
    expect([await linkOf(alice), (await linkOf(carol)).userId]).toEqual([null, ada.id]);
    expect((await alice.request("GET /me", { headers: { "if-none-match": etag } })).status).toBe(200);
    expect(codeOf(await rename(alice, etag))).toEqual([412, "precondition_failed"]);
    expect(await audited(carol)).toEqual({
      action: "discord.link",
      data: { discordId: ada.id, formerId: alice.id },
    });
    // An account has one link.
    await server.setClock("2030-01-01T03:00:00.000Z");
    await put(carol, await codeFor(bob));
    expect(await linkOf(carol)).toMatchObject({ userId: bob.id, linkedAt: "2030-01-01T03:00:00.000Z" });
    expect((await server.sql`select from discord_links`).count).toBe(1);
    expect((await dora.request("GET /me")).headers.get("etag")).toBe(ofDora);
  });

  test("is removed however often one asks, and audited once", async () => {
    await put(carol, await codeFor(bob));
    const linked = (await carol.request("GET /me")).headers.get("etag") ?? "";
    const ofAlice = (await alice.request("GET /me")).headers.get("etag");
    expect((await carol.request("DELETE /me/discord")).status).toBe(204);
    expect(codeOf(await rename(carol, linked))).toEqual([412, "precondition_failed"]);
    const removed = (await carol.request("GET /me")).headers.get("etag") ?? "";
    expect((await carol.request("DELETE /me/discord")).status).toBe(204);
    expect((await rename(carol, removed)).status).toBe(200);
    const rows = await server.sql`
      select from audit_log where target = ${carol.id} and action = 'discord.unlink'`;
    expect([rows.count, await linkOf(carol)]).toEqual([1, null]);
    expect((await alice.request("GET /me")).headers.get("etag")).toBe(ofAlice);
  });

  test("is compared with If-Match, as the account is", async () => {
    const code = await codeFor(ada);
    const stale = { "if-match": '"0-0"' };
    expect(codeOf(await put(alice, code, stale))).toEqual([412, "precondition_failed"]);
    expect((await put(alice, code)).status).toBe(200);
  });

  test("is one person's, if two send one code at once", async () => {
    const code = await codeFor(ada);
    const answers = await server.atOnce(
      (sql) => sql`select from discord_codes where discord_id = ${ada.id} for update`,
      [() => put(alice, code), () => put(carol, code)],
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const links = [await linkOf(alice), await linkOf(carol)].filter((link) => link?.userId === ada.id);
    expect(links).toHaveLength(1);
  });

  test("is one of two, if somebody sends two codes at once", async () => {
    const codes = [await codeFor(ada), await codeFor(bob)];
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${alice.id} for update`,
      codes.map((code) => () => put(alice, code)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([ada.id, bob.id]).toContain((await linkOf(alice)).userId);
    expect((await server.sql`select from discord_links where user_id = ${alice.id}`).count).toBe(1);
  });

  test("is swapped by two people at once, and neither waits for the other for ever", async () => {
    await put(alice, await codeFor(ada));
    await put(carol, await codeFor(bob));
    const [forAlice, forCarol] = [await codeFor(bob), await codeFor(ada)];
    const answers = await server.atOnce(
      (sql) => sql`select from users where id in (${alice.id}, ${carol.id}) for update`,
      [() => put(alice, forAlice), () => put(carol, forCarol)],
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([(await linkOf(alice)).userId, (await linkOf(carol)).userId]).toEqual([bob.id, ada.id]);
  });

  test("is swapped by one of two people at once, if both know their account with its link, and the other is told that it changed", async () => {
    await put(alice, await codeFor(ada));
    await put(carol, await codeFor(bob));
    const send = async (who: Person, by: DiscordUser) => {
      const [code, me] = [await codeFor(by), await who.request("GET /me")];
      return () => put(who, code, { "if-match": me.headers.get("etag") ?? "" });
    };
    const answers = await server.atOnce(
      (sql) => sql`select from users where id in (${alice.id}, ${carol.id}) for update`,
      [await send(alice, bob), await send(carol, ada)],
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  test("is gone or somebody else's, if it is removed and moved at once", async () => {
    const code = await codeFor(bob);
    const answers = await server.atOnce(
      (sql) => sql`select from users where id in (${alice.id}, ${carol.id}) for update`,
      [() => alice.request("DELETE /me/discord"), () => put(carol, code)],
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 200]);
    expect([await linkOf(alice), (await linkOf(carol)).userId]).toEqual([null, bob.id]);
  });
});
