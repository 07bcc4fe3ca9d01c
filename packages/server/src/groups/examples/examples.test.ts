import { limits } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settled } from "../../../test/endpoints.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";
import { siteOf } from "../../kernel/media/looking.ts";
import { selectExample } from "./examples.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
let moderator: Person;
let admin: Person;

beforeAll(async () => {
  server = await startTestServer({ works: true });
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
  moderator = await server.join("mod", { role: "moderator" });
  admin = await server.join("root", { role: "admin" });
});
afterAll(() => server.stop());

const add = (who: Person, slug: string, fields: object = {}) =>
  expectDone(who, `POST /prompts/alice/${slug}/examples`, { output: "Hello", ...fields });
const decide = (who: Person, verb: "approve" | "reject", id: string, body?: object) =>
  who.request(`POST /examples/${id}/${verb}`, { body: verb === "reject" ? (body ?? {}) : undefined });
const change = (who: Person, slug: string, id: string, body: object) =>
  who.request(`PATCH /prompts/alice/${slug}/examples/${id}`, { body });
const remove = (who: Person, slug: string, id: string) =>
  who.request(`DELETE /prompts/alice/${slug}/examples/${id}`);
const reorder = (who: Person, slug: string, ids: readonly string[]) =>
  who.request(`POST /prompts/alice/${slug}/examples/reorder`, { body: { ids } });
const read = (who: Person | null, slug: string, id: string) =>
  (who?.request ?? server.anonymous)(`GET /prompts/alice/${slug}/examples/${id}`);
const titlesOf = async (who: Person, slug: string, query = "") =>
  (await itemsOf(who, `GET /prompts/alice/${slug}/examples?${query}`)).map(({ title }) => title);
const countedAt = async (slug: string) =>
  (await server.anonymous(`GET /prompts/alice/${slug}`)).json.counts.examples;
const told = async (who: Person, type: string) => {
  await settled(server);
  const all = await itemsOf(who, `GET /notifications?type=${type}`);
  return all.map(({ title, body, target }) => ({ title, body, target }));
};
const auditedOf = async (id: string) =>
  (await server.sql`select action from audit_log where target = ${id} order by id`).map(
    ({ action }) => action,
  );
const codeOf = ({ status, json }: { status: number; json: any }) => [status, json?.error?.code];

/** Fills a prompt with examples that are approved already. */
const fill = (slug: string, count: number) => server.sql`
  insert into examples (prompt_id, author_id, variables, output, status, position, decided_at)
  select p.id, p.owner_id, '{}', 'Hi', 'approved', n, clock()
  from prompts p, generate_series(1, ${count}) n where p.slug = ${slug}`;

describe("an example", () => {
  test("of one's own prompt is approved at once, is counted, and nobody is notified", async () => {
    await publish(alice, "own");
    const variables = { name: "Ada", tone: null };
    const example = await add(alice, "own", {
      versionNumber: 1,
      title: "First",
      model: "any/model",
      variables,
    });
    expect(example).toMatchObject({
      prompt: { ref: "alice/own" },
      versionNumber: 1,
      author: { handle: "alice" },
      title: "First",
      variables,
      input: null,
      output: "Hello",
      status: "approved",
      position: 1,
      votes: { up: 0, down: 0 },
    });
    expect(example.decidedAt).toBe(example.createdAt);
    expect(await countedAt("own")).toBe(1);
    expect((await read(null, "own", example.id)).json).toEqual(example);
    await publish(alice, "unpublished", { publish: false });
    expect(await add(alice, "unpublished")).toMatchObject({ versionNumber: null, status: "approved" });
    expect(await told(alice, "example.submitted")).toEqual([]);
  });

  test("of somebody else's prompt waits for the owner, who is notified and decides", async () => {
    await publish(alice, "shared");
    await add(alice, "shared");
    const { id, status, position } = await add(bob, "shared", { title: "Mine" });
    expect([status, position]).toEqual(["pending", null]);
    expect(await told(alice, "example.submitted")).toEqual([
      {
        title: "An example of alice/shared waits for your approval",
        body: "Submitted by bob: Mine",
        target: { type: "example", id },
      },
    ]);
    expect(codeOf(await decide(bob, "approve", id))).toEqual([403, "forbidden"]);
    for (const who of [carol, moderator])
      expect(codeOf(await decide(who, "approve", id))).toEqual([404, "not_found"]);
    for (const _ of [1, 2]) {
      const { json } = await decide(alice, "approve", id);
      expect([json.status, json.position]).toEqual(["approved", 2]);
    }
    expect(await countedAt("shared")).toBe(2);
    expect((await told(bob, "example.decided")).map(({ title }) => title)).toEqual([
      "Your example of alice/shared was approved",
    ]);
  });

  test("that is rejected is taken down, with the reason for its author alone, and can be approved again", async () => {
    await publish(alice, "turning");
    const { id } = await add(bob, "turning");
    await decide(alice, "approve", id);
    const { json } = await decide(alice, "reject", id, { reason: "Not polite" });
    expect([json.status, json.position, json.rejectReason]).toEqual(["rejected", null, "Not polite"]);
    expect([await countedAt("turning"), (await read(carol, "turning", id)).status]).toEqual([0, 404]);
    expect((await read(bob, "turning", id)).json.rejectReason).toBe("Not polite");
    // Without another reason, that one stays. Only another one is told.
    for (const body of [{}, { reason: "Rude" }, {}]) await decide(alice, "reject", id, body);
    const decided = (await told(bob, "example.decided")).filter(({ target }) => target.id === id);
    expect(decided.map(({ body }) => body)).toEqual([
      "Rejected by alice: Rude",
      "Rejected by alice: Not polite",
      "Approved by alice.",
    ]);
    const approved = (await decide(admin, "approve", id)).json;
    expect([approved.status, approved.rejectReason]).toEqual(["approved", null]);
    // What the owner decided is not audited.
    expect(await auditedOf(id)).toEqual(["example.approved"]);
  });

  test("waits again after its author's edit, which takes it down, unless the prompt is the author's", async () => {
    await publish(alice, "edited");
    const { id } = await add(bob, "edited");
    await decide(alice, "approve", id);
    expect((await change(bob, "edited", id, { output: "Hello" })).json.status).toBe("approved");
    const edit = { title: "Offer", output: "Buy this", variables: { a: 1 } };
    const { json } = await change(bob, "edited", id, edit);
    expect([json.status, json.position, json.decidedAt]).toEqual(["pending", null, null]);
    const submitted = (await told(alice, "example.submitted")).filter(({ target }) => target.id === id);
    expect([await countedAt("edited"), submitted.map(({ body }) => body)]).toEqual([
      0,
      ["Submitted by bob: Offer", "Submitted by bob."],
    ]);
    const own = await add(alice, "edited");
    expect((await change(alice, "edited", own.id, { note: "Better" })).json).toMatchObject({
      status: "approved",
      note: "Better",
      output: "Hello",
    });
    // An edit is of one example.
    expect((await read(bob, "edited", id)).json).toMatchObject({ note: null, output: "Buy this" });
    expect(codeOf(await change(alice, "edited", id, { note: "Mine now" }))).toEqual([403, "forbidden"]);
  });

  test("that is deleted is gone for those who could see it, and is counted no more", async () => {
    await publish(alice, "left");
    const { id } = await add(bob, "left");
    const pending = await add(bob, "left");
    await decide(alice, "approve", id);
    for (const one of [id, pending.id]) expect((await remove(bob, "left", one)).status).toBe(204);
    expect([(await read(carol, "left", id)).status, (await read(carol, "left", pending.id)).status]).toEqual([
      410, 404,
    ]);
    expect([await countedAt("left"), await titlesOf(alice, "left")]).toEqual([0, []]);
    expect(await auditedOf(id)).toEqual(["example.delete"]);
    expect(codeOf(await decide(alice, "approve", id))).toEqual([410, "gone"]);
    // As it is for a read that found it just before.
    const shown = selectExample(server.sql, { id, ...siteOf(server.context) });
    await expect(shown).rejects.toMatchObject({ code: "gone" });
  });

  test("is refused if it is too long, has no output, or is of a version that is not there", async () => {
    await publish(alice, "strict");
    const refused = async (fields: object) =>
      codeOf(
        await alice.request("POST /prompts/alice/strict/examples", { body: { output: "Hi", ...fields } }),
      );
    for (const fields of [
      { output: "" },
      { output: "é".repeat(32 * 1024 + 1) },
      { input: "x".repeat(64 * 1024 + 1) },
      { variables: { text: "x".repeat(64 * 1024) } },
      { title: "Two\nlines" },
    ])
      expect(await refused(fields)).toEqual([422, "validation_failed"]);
    expect(await refused({ versionNumber: 2 })).toEqual([404, "not_found"]);
    expect(await refused({ output: "é".repeat(32 * 1024) })).toEqual([201, undefined]);
  });

  test("leads from the former address of its prompt to the present one, and to no other prompt", async () => {
    await publish(alice, "before");
    await publish(alice, "other");
    const { id } = await add(alice, "before");
    await alice.request("PATCH /prompts/alice/before", { body: { slug: "after" } });
    const { status, headers } = await read(null, "before", id);
    expect([status, headers.get("location")]).toEqual([
      301,
      `${server.context.publicUrl}/api/v1/prompts/alice/after/examples/${id}`,
    ]);
    expect((await read(alice, "other", id)).status).toBe(404);
  });

  test("is as hidden as its prompt, for its author too", async () => {
    await publish(alice, "closing");
    const { id } = await add(bob, "closing");
    await alice.request("PATCH /prompts/alice/closing", { body: { visibility: "private" } });
    expect((await read(bob, "closing", id)).status).toBe(404);
    expect(codeOf(await change(bob, "closing", id, { note: "x" }))).toEqual([404, "not_found"]);
    expect((await read(alice, "closing", id)).status).toBe(200);
  });

  test("is sent again under its Idempotency-Key, however long it is", async () => {
    await publish(alice, "repeated");
    const body = { output: "x".repeat(60_000), input: "y".repeat(60_000) };
    const headers = { "idempotency-key": "once" };
    const send = () => alice.request("POST /prompts/alice/repeated/examples", { body, headers });
    expect((await send()).json).toEqual((await send()).json);
    expect(await countedAt("repeated")).toBe(1);
  });
});

describe("the list of examples", () => {
  let ids: string[];

  beforeAll(async () => {
    await publish(alice, "listed", { versions: 2 });
    ids = [];
    for (const title of ["one", "two", "three"])
      ids.push((await add(alice, "listed", { title, versionNumber: title === "two" ? 2 : 1 })).id);
    await add(bob, "listed", { title: "of bob", versionNumber: 2 });
    const { id } = await add(carol, "listed", { title: "of carol" });
    await add(carol, "listed", { title: "later" });
    await decide(alice, "reject", id);
  });

  const approved = ["one", "two", "three"];

  test.for([1, 2, 100])("shows each caller what they may see, in pages of %i", async (limit) => {
    const shown = (who: Person) => titlesOf(who, "listed", `limit=${limit}`);
    for (const who of [alice, admin]) expect(await shown(who)).toEqual([...approved, "of bob", "later"]);
    expect(await shown(bob)).toEqual([...approved, "of bob"]);
    expect(await shown(carol)).toEqual([...approved, "later"]);
    expect(await shown(moderator)).toEqual(approved);
    const { json } = await server.anonymous("GET /prompts/alice/listed/examples");
    expect(json.items.map(({ title }: { title: string }) => title)).toEqual(approved);
  });

  test("can be of a status and of a version", async () => {
    expect(await titlesOf(alice, "listed", "status=pending")).toEqual(["of bob", "later"]);
    expect(await titlesOf(alice, "listed", "status=rejected")).toEqual(["of carol"]);
    expect(await titlesOf(bob, "listed", "status=rejected")).toEqual([]);
    expect(await titlesOf(alice, "listed", "version=2")).toEqual(["two", "of bob"]);
    for (const status of ["pending", "rejected"]) {
      const { json } = await server.anonymous(`GET /prompts/alice/listed/examples?status=${status}`);
      expect(json.items).toEqual([]);
    }
  });

  test("has another order once every approved example is named once, and none that was deleted", async () => {
    const [one = "", two = "", three = ""] = ids;
    const { id: deleted } = await add(alice, "listed");
    await remove(alice, "listed", deleted);
    for (const wrong of [
      [one, two],
      [one, two, two],
      [one, two, three, three],
      [one, two, "exm_00000000000000000000000000"],
      [one, two, three, deleted],
    ])
      expect(codeOf(await reorder(alice, "listed", wrong))).toEqual([422, "order_mismatch"]);
    expect(codeOf(await reorder(bob, "listed", ids))).toEqual([403, "forbidden"]);
    const { json } = await reorder(alice, "listed", [three, one, two]);
    expect(json.items.map(({ title }: { title: string }) => title)).toEqual(["three", "one", "two"]);
    expect((await titlesOf(bob, "listed")).slice(0, 3)).toEqual(["three", "one", "two"]);
    await reorder(alice, "listed", ids);
  });

  test("keeps its ETag while people vote, and gets another when what they wrote changes", async () => {
    const etag = async () => (await alice.request("GET /prompts/alice/listed/examples")).headers.get("etag");
    const [id = ""] = ids;
    await change(alice, "listed", id, { variables: { votes: { up: 1 } } });
    const before = await etag();
    await bob.request("PUT /votes", { body: { target: { type: "example", id }, value: 1 } });
    expect(await etag()).toBe(before);
    await change(alice, "listed", id, { variables: { votes: { up: 2 } } });
    expect(await etag()).not.toBe(before);
  });
});

describe("the limits", () => {
  test("let a prompt have 100 approved examples", async () => {
    await publish(alice, "full");
    await fill("full", limits.approvedExamplesPerPrompt);
    const body = { output: "One more" };
    expect(codeOf(await alice.request("POST /prompts/alice/full/examples", { body }))).toEqual([
      409,
      "quota_exceeded",
    ]);
    const { id } = await add(bob, "full");
    expect(codeOf(await decide(alice, "approve", id))).toEqual([409, "quota_exceeded"]);
    await server.sql`update examples set status = 'rejected', position = null where id in (
      select e.id from examples e join prompts p on p.id = e.prompt_id where p.slug = 'full' limit 1)`;
    expect((await decide(alice, "approve", id)).status).toBe(200);
  });

  test("let an author have 20 that wait at a prompt, with those deleted a short time ago", async () => {
    await publish(alice, "flooded");
    const { pendingExamplesPerAuthor: most } = limits;
    const [{ now } = { now: new Date() }] = await server.sql<{ now: Date }[]>`select clock() as now`;
    const pass = (ms: number) => server.setClock(new Date(now.getTime() + ms).toISOString());
    await pass(0);
    // What the owner approved waits no more.
    await decide(alice, "approve", (await add(bob, "flooded")).id);
    for (let nth = 0; nth < most; nth++) {
      const { id } = await add(bob, "flooded");
      if (nth % 2 === 0) await remove(bob, "flooded", id);
    }
    const more = (who: Person) =>
      who.request("POST /prompts/alice/flooded/examples", { body: { output: "x" } });
    expect(codeOf(await more(bob))).toEqual([409, "quota_exceeded"]);
    expect((await more(carol)).status).toBe(201);
    const day = 24 * 3_600_000;
    await pass(day - 1);
    expect(codeOf(await more(bob))).toEqual([409, "quota_exceeded"]);
    await pass(day);
    expect((await more(bob)).status).toBe(201);
  });
});

describe("at the same time", () => {
  /** Sends requests that all wait for a prompt, and lets them go together. */
  const atOnce = (slug: string, ...requests: Parameters<TestServer["atOnce"]>[1]) =>
    server.atOnce((sql) => sql`select from prompts where slug = ${slug} for update`, requests);
  const positionsAt = async (slug: string) =>
    (await itemsOf(alice, `GET /prompts/alice/${slug}/examples?status=approved`)).map(
      ({ position }) => position,
    );

  test("two approvals at the limit are one", async () => {
    await publish(alice, "last-room");
    await fill("last-room", limits.approvedExamplesPerPrompt - 1);
    const pending = [await add(bob, "last-room"), await add(carol, "last-room")];
    const answers = await atOnce(
      "last-room",
      ...pending.map(
        ({ id }) =>
          () =>
            decide(alice, "approve", id),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await positionsAt("last-room")).length).toBe(limits.approvedExamplesPerPrompt);
  });

  test("two approvals of one example are one", async () => {
    await publish(alice, "twice");
    const { id } = await add(bob, "twice");
    await atOnce(
      "twice",
      () => decide(alice, "approve", id),
      () => decide(admin, "approve", id),
    );
    expect([await countedAt("twice"), await positionsAt("twice")]).toEqual([1, [1]]);
  });

  test.for(["approve", "delete"])(
    "an order and another change (%s) leave every position once",
    async (verb) => {
      const slug = `ordered-${verb}`;
      await publish(alice, slug);
      const [first, second] = [await add(alice, slug), await add(alice, slug)];
      const { id } = await add(bob, slug);
      const other = () => (verb === "approve" ? decide(alice, "approve", id) : remove(alice, slug, first.id));
      const [ordered, changed] = await atOnce(slug, () => reorder(alice, slug, [second.id, first.id]), other);
      expect(changed?.status).toBeLessThan(300);
      expect([200, 422]).toContain(ordered?.status);
      const positions = await positionsAt(slug);
      expect(new Set(positions).size).toBe(positions.length);
      expect(positions.length).toBe(await countedAt(slug));
    },
  );
});
