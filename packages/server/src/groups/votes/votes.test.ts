import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { expectDone } from "../../../test/scenes.ts";
import { flushCounters } from "../../kernel/changes/counters.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
  await publish(alice, "voted");
});
afterAll(() => server.stop());

const newExample = async (): Promise<string> =>
  (await expectDone(alice, "POST /prompts/alice/voted/examples", { output: "Hello" })).id;
const vote = (who: Person, id: string, value: number) =>
  who.request("PUT /votes", { body: { target: { type: "example", id }, value } });
const withdraw = (who: Person, id: string) => who.request(`DELETE /votes?target=example:${id}`);
const votesOf = async (id: string) =>
  (await server.anonymous(`GET /prompts/alice/voted/examples/${id}`)).json.votes;

describe("a vote", () => {
  test("is counted once, can be turned round, and can be withdrawn", async () => {
    const id = await newExample();
    const target = { type: "example", id };
    for (const _ of [1, 2])
      expect((await vote(bob, id, 1)).json).toEqual({ target, up: 1, down: 0, value: 1 });
    expect((await vote(carol, id, -1)).json).toEqual({ target, up: 1, down: 1, value: -1 });
    await flushCounters(server.sql);
    expect((await vote(bob, id, -1)).json).toEqual({ target, up: 0, down: 2, value: -1 });
    expect(await votesOf(id)).toEqual({ up: 0, down: 2 });
    await vote(carol, id, 1);
    for (const _ of [1, 2])
      expect((await withdraw(bob, id)).json).toEqual({ target, up: 1, down: 0, value: null });
  });

  test("is not for one's own content, and not for what cannot be seen or voted on", async () => {
    const id = await newExample();
    const own = await vote(alice, id, 1);
    expect([own.status, own.json.error.code]).toEqual([403, "own_content"]);
    const { id: pending } = await expectDone(bob, "POST /prompts/alice/voted/examples", { output: "Hi" });
    expect([(await vote(carol, pending, 1)).status, (await vote(alice, pending, 1)).status]).toEqual([
      404, 200,
    ]);
    // Of a comment that was answered, a stub is left.
    const say = (body: string, parentId?: string) =>
      expectDone(bob, "POST /comments", { target: { type: "prompt", id: "alice/voted" }, body, parentId });
    const { id: stub } = await say("To be deleted");
    await say("An answer", stub);
    await bob.request(`DELETE /comments/${stub}`);
    const onStub = { target: { type: "comment", id: stub }, value: 1 };
    expect((await carol.request("PUT /votes", { body: onStub })).json.error.code).toBe("comment_deleted");
    for (const value of [0, 2, "1"]) expect((await vote(bob, id, value as number)).status).toBe(422);
    for (const target of ["prompt:alice/voted", id, `example:${id}x`, "example:"]) {
      const { status, json } = await bob.request(`DELETE /votes?target=${target}`);
      expect([status, json.error.details[0].message]).toEqual([422, expect.stringContaining("example:…")]);
    }
  });
});

describe("at the same time", () => {
  test("votes wait for nobody who votes on the same example", async () => {
    const id = await newExample();
    await server.sql.begin(async (sql) => {
      await sql`select from prompts where slug = 'voted' for share`;
      await sql`select from examples where id = ${id} for share`;
      expect((await vote(bob, id, 1)).json.up).toBe(1);
    });
  });

  test("votes of one account are one, and are counted as they are stored", async () => {
    const id = await newExample();
    const acts = [1, -1, 0, 1].map((value) => () => (value === 0 ? withdraw(bob, id) : vote(bob, id, value)));
    await server.atOnce(
      (sql) => sql`select from examples where id = ${id} for update`,
      [...acts, () => vote(carol, id, 1)],
    );
    const [stored] = await server.sql`
      select count(*) filter (where value = 1)::int as up, count(*) filter (where value = -1)::int as down
      from votes where target_id = ${id}`;
    expect(await votesOf(id)).toEqual({ ...stored });
  });

  test("a vote on an example that is deleted came before that, or is none", async () => {
    const id = await newExample();
    const [removed, voted] = await server.atOnce(
      (sql) => sql`select from prompts where slug = 'voted' for update`,
      [() => alice.request(`DELETE /prompts/alice/voted/examples/${id}`), () => vote(bob, id, 1)],
    );
    expect(removed?.status).toBe(204);
    expect([200, 410]).toContain(voted?.status);
    expect((await vote(bob, id, 1)).status).toBe(410);
  });
});
