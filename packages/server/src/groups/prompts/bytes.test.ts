import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, filesOf, promptOf, publish } from "../../../test/prompts.ts";
import { flushCounters } from "../../kernel/changes/counters.ts";
import { migrationsFolder } from "../../migrations.ts";

let server: TestServer;
let alice: Person;
let people = 0;

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  server.context.accountBytes = 1e10;
  alice = await server.join(`alice-${++people}`);
});
afterAll(() => server.stop());

const usedBy = async (who: Person): Promise<number> => (await who.request("GET /me")).json.quotas.bytes.used;
/** A text that nothing else has. */
const textOf = (bytes: number) => `${people} ${Math.random()} `.padEnd(bytes, "x");
const draftOf = (who: Person, content: string) =>
  who.request(`PUT /prompts/${who.handle}/p/draft`, { body: { files: filesOf(content) } });

describe("the bytes of an account", () => {
  test("are contents that were not stored before, and 256 for each file of a version", async () => {
    expect(await usedBy(alice)).toBe(0);
    const text = textOf(1_000);
    await publish(alice, "p", { files: filesOf(text) });
    expect(await usedBy(alice)).toBe(1_256);
    await commit(alice, "p", textOf(500));
    expect(await usedBy(alice)).toBe(2_012);
    await publish(alice, "q", { files: filesOf(text) });
    expect(await usedBy(alice)).toBe(2_268);
    await alice.request(`POST /prompts/${alice.handle}/p/versions/1/restore`, { body: {} });
    expect(await usedBy(alice)).toBe(2_524);
  });

  test("count a content once that several files of a version have", async () => {
    const content = textOf(1_000);
    const files = ["PROMPT.md", "a.md", "b.md"].map((path) => ({ path, content }));
    server.context.accountBytes = 1_000;
    await publish(alice, "p", { files });
    expect(await usedBy(alice)).toBe(1_768);
  });

  test("of a fork are those of its list of files, and whoever forked it has them", async () => {
    const bob = await server.join(`bob-${people}`);
    await publish(alice, "p", { files: filesOf(textOf(1_000)) });
    await bob.request(`POST /prompts/${alice.handle}/p/forks`, { body: {} });
    expect([await usedBy(alice), await usedBy(bob)]).toEqual([1_256, 256]);
  });

  test("are those of a draft as long as it is there", async () => {
    await publish(alice, "p", { files: filesOf(textOf(100)) });
    const text = textOf(1_000);
    await draftOf(alice, text);
    expect(await usedBy(alice)).toBe(1_356);
    await draftOf(alice, textOf(50));
    expect(await usedBy(alice)).toBe(406);
    await alice.request(`DELETE /prompts/${alice.handle}/p/draft`);
    expect(await usedBy(alice)).toBe(356);
    await draftOf(alice, text);
    await alice.request(`POST /prompts/${alice.handle}/p/versions`, { body: { message: "The draft" } });
    expect(await usedBy(alice)).toBe(356 + 1_256);
  });

  test("that were stored before any were counted are the same", async () => {
    const text = textOf(1_000);
    await publish(alice, "p", { files: filesOf(text) });
    await publish(alice, "q", { files: [...filesOf(text), { path: "a.md", content: textOf(500) }] });
    await draftOf(alice, textOf(100));
    expect(await usedBy(alice)).toBe(2_368);
    await flushCounters(server.sql);
    await server.sql`delete from counters where name = 'bytes'`;
    await server.sql.unsafe(readFileSync(join(migrationsFolder, "0031_account_bytes.sql"), "utf8"));
    expect(await usedBy(alice)).toBe(2_368);
  });
});

describe("at its limit", () => {
  const refusal = { status: 409, json: { error: { code: "quota_exceeded" } } };

  test("a prompt, a version and a draft are refused, and leave nothing", async () => {
    await publish(alice, "p", { files: filesOf(textOf(1_000)) });
    server.context.accountBytes = 2_000;
    const prompt = promptOf("q", { files: filesOf(textOf(1_000)) });
    expect(await alice.request("POST /prompts", { body: prompt })).toMatchObject(refusal);
    expect(await alice.request("POST /prompts", { body: { ...prompt, publish: false } })).toMatchObject(
      refusal,
    );
    expect(await commit(alice, "p", textOf(1_000))).toMatchObject(refusal);
    const draft = await draftOf(alice, textOf(1_000));
    expect(draft).toMatchObject(refusal);
    expect(draft.json.error.message).toContain("They take 0.0 MB");
    expect((await alice.request("GET /prompts?owner=me")).json.items).toHaveLength(1);
    expect((await alice.request(`GET /prompts/${alice.handle}/p`)).json.version.n).toBe(1);
    expect(await usedBy(alice)).toBe(1_256);
    expect((await alice.request("GET /me")).json.quotas.bytes).toEqual({ used: 1_256, limit: 2_000 });
  });

  test("what fits exactly is taken, and a smaller draft in place of a larger one too", async () => {
    await publish(alice, "p", { files: filesOf(textOf(1_000)) });
    server.context.accountBytes = 3_256;
    expect((await draftOf(alice, textOf(2_000))).status).toBe(200);
    expect(await draftOf(alice, textOf(2_001))).toMatchObject(refusal);
    server.context.accountBytes = 2_000;
    expect((await draftOf(alice, textOf(700))).status).toBe(200);
    expect(await usedBy(alice)).toBe(1_956);
  });

  test("what others store is no matter", async () => {
    await publish(alice, "p", { files: filesOf(textOf(1_000)) });
    server.context.accountBytes = 1_500;
    const bob = await server.join(`bob-${people}`);
    await publish(bob, "p", { files: filesOf(textOf(1_000)) });
    expect(await usedBy(bob)).toBe(1_256);
  });
});
