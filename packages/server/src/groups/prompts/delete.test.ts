import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, promptOf, publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const create = (slug: string, fields: object = {}) => publish(alice, slug, fields);
const remove = (slug: string, who = alice, headers = {}) =>
  who.request(`DELETE /prompts/alice/${slug}`, { headers });
const eventsOf = async (id: string) => {
  const rows = await server.sql<{ name: string; body: Buffer }[]>`
    select name, body from events where prompt_id = ${id} order by created_at`;
  return rows.map(({ name, body }) => ({ name, data: JSON.parse(String(body)).data }));
};

describe("deleting a prompt", () => {
  test("emits an event, writes an audit row, and makes it answer 410", async () => {
    const { id } = await create("gone");
    await server.setClock("2030-01-02T03:04:05.678Z");
    const { status, text } = await remove("gone");
    expect([status, text]).toEqual([204, ""]);
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      name: "prompt.deleted",
      data: {
        prompt: { id, ref: "alice/gone", url: `${server.url}/alice/gone` },
        actor: { id: alice.id },
        deletedAt: "2030-01-02T03:04:05.678Z",
      },
    });
    expect(await server.sql`select action, actor_id from audit_log where target = ${id}`).toMatchObject([
      { action: "prompt.delete", actor_id: alice.id },
    ]);
    for (const read of ["", "/raw", "/versions/1"]) {
      expect(codeOf(await server.anonymous(`GET /prompts/alice/gone${read}`))).toEqual([410, "gone"]);
    }
    expect(codeOf(await remove("gone"))).toEqual([410, "gone"]);
    expect(await eventsOf(id)).toHaveLength(2);
  });

  test("of a private one or a draft stays hidden from others", async () => {
    for (const [slug, fields] of [
      ["secret", { visibility: "private" }],
      ["draft", { publish: false }],
    ] as const) {
      const { id } = await create(slug, fields);
      expect((await remove(slug)).status).toBe(204);
      expect(codeOf(await alice.request(`GET /prompts/alice/${slug}`))).toEqual([410, "gone"]);
      expect(codeOf(await bob.request(`GET /prompts/alice/${slug}`))).toEqual([404, "not_found"]);
      const [event] = await server.sql`select account_ids, watch_levels from events
        where prompt_id = ${id} and name = 'prompt.deleted'`;
      expect(event).toEqual({ account_ids: [alice.id], watch_levels: [] });
    }
  });

  test("takes it out of every list and search, and keeps its slug", async () => {
    await create("listed", { title: "Ephemeral" });
    const lists = ["owner=alice", "q=ephemeral", "owner=me", "owner=me&q=ephemeral"];
    const seen = async () =>
      Promise.all(
        lists.map(async (query) => {
          const { json } = await alice.request(`GET /prompts?${query}&limit=100`);
          return json.items.some(({ slug }: { slug: string }) => slug === "listed") as boolean;
        }),
      );
    expect(await seen()).toEqual([true, true, true, true]);
    await remove("listed");
    expect(await seen()).toEqual([false, false, false, false]);
    expect(codeOf(await alice.request("POST /prompts", { body: promptOf("listed") }))).toEqual([
      409,
      "slug_taken",
    ]);
  });

  test("is for the owner and admins, and respects If-Match", async () => {
    await create("guarded");
    const moderator = await server.join("moderator", { role: "moderator" });
    const admin = await server.join("admin", { role: "admin" });
    for (const who of [bob, moderator])
      expect(codeOf(await remove("guarded", who))).toEqual([403, "forbidden"]);
    const etag = (await admin.request("GET /prompts/alice/guarded")).headers.get("etag") ?? "";
    await alice.request("PATCH /prompts/alice/guarded", { body: { title: "Edited" } });
    const stale = await remove("guarded", admin, { "if-match": etag });
    expect(codeOf(stale)).toEqual([412, "precondition_failed"]);
    expect((await remove("guarded", admin)).status).toBe(204);
  });

  test("concurrent with a commit happens before or after it, and nothing is written after the deletion", async () => {
    for (let i = 0; i < 8; i += 1) {
      const { id } = await create(`raced-${i}`);
      const [deleted, again, committed] = await Promise.all([
        remove(`raced-${i}`),
        remove(`raced-${i}`),
        alice.request(`POST /prompts/alice/raced-${i}/versions`, { body: { files: filesOf(`Bye ${i}`) } }),
      ]);
      expect([deleted.status, again.status].sort((a, b) => a - b)).toEqual([204, 410]);
      expect([201, 410]).toContain(committed.status);
      const names = (await eventsOf(id)).map(({ name }) => name);
      expect(names.filter((name) => name === "prompt.version.created")).toHaveLength(
        committed.status === 201 ? 2 : 1,
      );
      expect(names.at(-1)).toBe("prompt.deleted");
      expect(await server.sql`select from search_documents where id = ${id}`).toHaveLength(0);
    }
  });
});
