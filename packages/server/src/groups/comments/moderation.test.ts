import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let mod: Person;

beforeAll(async () => {
  server = await startTestServer();
  server.context.heldWords = [" casino ", " free money "];
  alice = await server.join("alice");
  bob = await server.join("bob");
  mod = await server.join("mod", { role: "moderator" });
  // Old enough to post links.
  await server.sql`update users set created_at = clock() - interval '2 days'`;
});
afterAll(() => server.stop());

const sendTo = (who: Person, slug: string, body: string, parentId?: string) =>
  who.request("POST /comments", {
    body: { target: { type: "prompt", id: `alice/${slug}` }, body, ...(parentId && { parentId }) },
  });
const say = async (who: Person, slug: string, body: string, parentId?: string): Promise<any> => {
  const { status, json } = await sendTo(who, slug, body, parentId);
  expect(status).toBe(201);
  return json;
};
const seenBy = async (who: Person | null, slug: string): Promise<string[]> => {
  const route = `GET /comments?target=prompt:alice/${slug}`;
  const { json } = who ? await who.request(route) : await server.anonymous(route);
  return json.items.map(({ body }: { body: string }) => body);
};
const countOf = async (slug: string) =>
  (await server.anonymous(`GET /prompts/alice/${slug}`)).json.counts.comments;
const eventsOf = async (): Promise<any[]> =>
  (
    await server.sql`select convert_from(body, 'UTF8')::json as body from events where name = 'comment.created' order by created_at`
  ).map(({ body }) => body);
const hide = (id: string) => mod.request(`POST /comments/${id}/hide`, { body: { reason: "Rude" } });
const unhide = (id: string) => mod.request(`DELETE /comments/${id}/hide`);
const codeOf = ({ status, json }: { status: number; json: any }) => [status, json?.error?.code];

describe("a comment that looks like spam is held:", () => {
  beforeAll(() => publish(alice, "held"));

  test.each([
    ["three links", "https://a.example [b](https://b.example) <mailto:c@d.example>", "held"],
    ["two links", "https://a.example and https://b.example", "visible"],
    ["a word that the operator listed, however it is written", "Best ＣＡＳＩ\u200bNO!", "held"],
    ["one with entities for letters", "Best c&#97;sino yet", "held"],
    ["one with marks between its letters", "Best ca**si**no of all", "held"],
    ["listed words in two paragraphs", "Everything is free\n\nmoney is not", "held"],
    ["words that the operator listed", "FREE\n  money", "held"],
    ["a word of which a listed one is a part", "The occasinos", "visible"],
    [
      "links in a text that nests too deep to be rendered",
      `${"> ".repeat(60)}http://a http://b http://c`,
      "held",
    ],
  ])("%s", async (_, body, status) => {
    expect((await say(bob, "held", body)).status).toBe(status);
  });

  test("a link from an account that is younger than 24 hours", async () => {
    const young = await server.join("young");
    await server.sql`update users set created_at = clock() - interval '23 hours 59 minutes' where id = ${young.id}`;
    expect((await say(young, "held", "Hello there")).status).toBe("visible");
    expect((await say(young, "held", "See https://a.example")).status).toBe("held");
    await server.sql`update users set created_at = clock() - interval '24 hours' where id = ${young.id}`;
    expect((await say(young, "held", "See https://b.example")).status).toBe("visible");
  });

  test("a text that its author wrote in the last hour, also if it was deleted or is written twice at once", async () => {
    const { id } = await say(bob, "held", "Buy it");
    expect((await say(alice, "held", "Buy it")).status).toBe("visible");
    await done(bob, `DELETE /comments/${id}`);
    expect((await say(bob, "held", "Buy it")).status).toBe("held");
    await server.sql`update comments set created_at = created_at - interval '1 hour' where author_id = ${bob.id}`;
    await publish(alice, "held-too");
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${bob.id} for update`,
      ["held", "held-too"].map((slug) => () => sendTo(bob, slug, "Buy it")),
    );
    expect(answers.map(({ json }) => json.status).sort()).toEqual(["held", "visible"]);
  });

  test("and so is one that an edit makes so, but none of a moderator's", async () => {
    const { id } = await say(bob, "held", "Harmless");
    const before = await countOf("held");
    const { json } = await bob.request(`PATCH /comments/${id}`, { body: { body: "To the casino" } });
    expect([json.status, (await countOf("held")) - before]).toEqual(["held", -1]);
    const events = (await eventsOf()).length;
    expect((await unhide(id)).json.status).toBe("visible");
    // Everybody heard of it already.
    expect(await eventsOf()).toHaveLength(events);
    expect((await say(mod, "held", "The casino is spam")).status).toBe("visible");
  });

  test("also if its text takes long, and many such texts come at once", { tags: "long" }, async () => {
    const marks = "*a **b `c` [d](e) ".repeat(500);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => sendTo(bob, "held", `${nth} c&#97;sino ${marks}`)),
    );
    for (const { json } of answers)
      expect(json.status === "held" || json.html.includes("c&amp;#97;sino")).toBe(true);
    expect(answers.some(({ json }) => json.status === "visible")).toBe(true);
  });

  test("is listed for moderators with where it stands, if they see that", async () => {
    await publish(alice, "queue");
    const { id } = await say(bob, "queue", "Win free money now");
    await publish(alice, "own");
    const hidden = await say(alice, "own", "My free money");
    await alice.request("PATCH /prompts/alice/own", { body: { visibility: "private" } });
    const items: any[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { json } = await mod.request(`GET /comments?status=held&limit=1${cursor && `&cursor=${cursor}`}`);
      items.push(...json.items);
      cursor = json.nextCursor;
    }
    const found = items.find((one: any) => one.id === id);
    expect(found).toMatchObject({
      status: "held",
      target: { type: "prompt", id: "alice/queue" },
      replies: [],
    });
    expect(items.map((one: any) => one.id)).not.toContain(hidden.id);
    await server.sql`update prompts set open_reports = 1 where slug = 'own'`;
    const { items: moderated } = await done(mod, "GET /comments?status=held&limit=100");
    expect(moderated.map((one: any) => one.id)).toContain(hidden.id);
    const refused = [
      await bob.request("GET /comments?status=held"),
      await server.anonymous("GET /comments?status=held"),
      await mod.request("GET /comments"),
      await mod.request("GET /comments?status=held&target=prompt:alice/queue"),
    ].map(({ status, json }) => [status, json.error.details?.[0].path]);
    expect(refused).toEqual([
      [403, undefined],
      [401, undefined],
      [422, "/target"],
      [422, "/status"],
    ]);
  });

  test("only its author and moderators see it, until a moderator publishes it as its author's", async () => {
    await publish(alice, "published");
    const events = (await eventsOf()).length;
    const { id } = await say(bob, "published", "Free money!");
    for (const [who, expected] of [
      [null, []],
      [alice, []],
      [bob, ["Free money!"]],
      [mod, ["Free money!"]],
    ] as const)
      expect(await seenBy(who, "published")).toEqual(expected);
    expect(await countOf("published")).toBe(0);
    expect(codeOf(await sendTo(bob, "published", "A reply", id))).toEqual([409, "comment_hidden"]);
    expect(codeOf(await sendTo(alice, "published", "A reply", id))).toEqual([404, "not_found"]);
    expect(
      codeOf(await alice.request("PUT /votes", { body: { target: { type: "comment", id }, value: 1 } })),
    ).toEqual([404, "not_found"]);
    await hide(id);
    expect(await eventsOf()).toHaveLength(events);
    for (const _ of [1, 2]) expect((await unhide(id)).json).toMatchObject({ id, status: "visible" });
    const [event, ...others] = (await eventsOf()).slice(events);
    expect(others).toEqual([]);
    expect(event.data).toMatchObject({ actor: { handle: "bob" }, comment: { id, excerpt: "Free money!" } });
    expect([await seenBy(null, "published"), await countOf("published")]).toEqual([["Free money!"], 1]);
  });
});

describe("a hidden comment", () => {
  test("takes its replies along, and brings them back", async () => {
    const { id: promptId } = await publish(alice, "hidden");
    const { id } = await say(bob, "hidden", "A slur");
    const { id: replyId } = await say(alice, "hidden", "Stop", id);
    await say(alice, "hidden", "Something else");
    for (const _ of [1, 2]) expect((await hide(id)).json.status).toBe("hidden");
    expect([await seenBy(null, "hidden"), await countOf("hidden")]).toEqual([["Something else"], 1]);
    expect(await seenBy(bob, "hidden")).toEqual(["A slur", "Something else"]);
    expect((await server.anonymous(`GET /comments?target=comment:${id}`)).status).toBe(404);
    expect((await alice.request(`GET /comments?target=comment:${id}`)).status).toBe(404);
    // Whoever wrote a reply can still take it back.
    expect(
      codeOf(await alice.request(`PATCH /comments/${replyId}`, { body: { body: "Please stop" } })),
    ).toEqual([200, undefined]);
    expect(codeOf(await bob.request(`PATCH /comments/${id}`, { body: { body: "Nicer" } }))).toEqual([
      409,
      "comment_hidden",
    ]);
    const { items } = await done(bob, "GET /comments?target=prompt:alice/hidden");
    expect(items[0].viewer).toMatchObject({ canEdit: false, canDelete: true });
    const { items: moderated } = await done(mod, "GET /comments?target=prompt:alice/hidden");
    expect(moderated.map(({ viewer }: { viewer: object }) => viewer)).toEqual([
      { canEdit: false, canDelete: true, canHide: false, vote: null },
      { canEdit: false, canDelete: true, canHide: true, vote: null },
    ]);
    const events = (await eventsOf()).length;
    expect((await unhide(id)).json.status).toBe("visible");
    expect([await seenBy(null, "hidden"), await countOf("hidden")]).toEqual([
      ["A slur", "Something else"],
      3,
    ]);
    expect(await eventsOf()).toHaveLength(events);
    await done(mod, `DELETE /comments/${id}`);
    // Of a stub nothing is left to hide.
    for (const answer of [await hide(id), await unhide(id)])
      expect(codeOf(answer)).toEqual([409, "comment_deleted"]);
    const audited = await server.sql`
      select action, data from audit_log where target in (${id}, ${replyId}) order by id`;
    const about = { on: promptId, authorId: bob.id };
    expect(audited.map((row) => ({ ...row }))).toEqual([
      { action: "comment.hide", data: { ...about, reason: "Rude" } },
      { action: "comment.unhide", data: about },
      { action: "comment.delete", data: about },
    ]);
  });

  test("of a moderator is shown again by another one", async () => {
    await publish(alice, "own-hidden");
    const { id } = await say(mod, "own-hidden", "Never mind");
    expect((await hide(id)).json.status).toBe("hidden");
    expect(codeOf(await mod.request(`DELETE /comments/${id}/hide`))).toEqual([403, "forbidden"]);
    const other = await server.join("other-mod", { role: "moderator" });
    for (const who of [other, mod])
      expect((await who.request(`DELETE /comments/${id}/hide`)).json.status).toBe("visible");
  });

  test("that is a reply counts no more, and the thread stays", async () => {
    await publish(alice, "hidden-reply");
    const { id } = await say(bob, "hidden-reply", "A question");
    const { id: replyId } = await say(alice, "hidden-reply", "A rude answer", id);
    await hide(replyId);
    const repliesFor = async (who: Person) => {
      const { items } = await done(who, "GET /comments?target=prompt:alice/hidden-reply");
      return [items[0].replyCount, items[0].replies.map(({ body }: { body: string }) => body)];
    };
    expect(await repliesFor(bob)).toEqual([0, []]);
    expect(await repliesFor(alice)).toEqual([0, ["A rude answer"]]);
    expect(await countOf("hidden-reply")).toBe(1);
    // Without what was said, nothing is hidden.
    await done(mod, `DELETE /comments/${id}`);
    expect([await seenBy(null, "hidden-reply"), await countOf("hidden-reply")]).toEqual([[], 0]);
  });

  test("keeps a reply that was held from being announced", async () => {
    await publish(alice, "hidden-held");
    const { id } = await say(bob, "hidden-held", "A provocation");
    const { id: replyId } = await say(alice, "hidden-held", "Free money!", id);
    await hide(id);
    const events = (await eventsOf()).length;
    expect((await unhide(replyId)).json.status).toBe("visible");
    expect(await eventsOf()).toHaveLength(events);
  });

  test("and an edit at the same time leave it hidden", async () => {
    await publish(alice, "hidden-race");
    const { id } = await say(bob, "hidden-race", "Once");
    const [hidden, edited] = await server.atOnce(
      (sql) => sql`select from prompts where slug = 'hidden-race' for update`,
      [() => hide(id), () => bob.request(`PATCH /comments/${id}`, { body: { body: "Twice" } })],
    );
    expect(hidden?.status).toBe(200);
    expect([200, 409]).toContain(edited?.status);
    const [row] = await server.sql`select status, body from comments where id = ${id}`;
    expect({ ...row }).toEqual({ status: "hidden", body: edited?.status === 200 ? "Twice" : "Once" });
  });
});

describe("a lock", () => {
  const lock = (who: Person, id: string, locked: boolean, type = "prompt") =>
    who.request("PUT /comments/lock", { body: { target: { type, id }, locked, reason: "Heated" } });
  const stateFor = async (who: Person | null, target: string) => {
    const route = `GET /comments?target=${target}`;
    const { json } = who ? await who.request(route) : await server.anonymous(route);
    return { locked: json.locked, viewer: json.viewer };
  };

  test("lets only moderators write more, on the prompt and what is below it", async () => {
    await publish(alice, "locked", { versions: 2 });
    expect((await lock(bob, "alice/locked", true)).status).toBe(403);
    for (const _ of [1, 2])
      expect((await lock(alice, "alice/locked", true)).json).toEqual({
        target: { type: "prompt", id: "alice/locked" },
        locked: true,
      });
    for (const who of [alice, bob])
      expect(codeOf(await sendTo(who, "locked", "More"))).toEqual([409, "thread_locked"]);
    await say(mod, "locked", "Calm down");
    const version = { type: "version", id: "alice/locked@2" };
    expect(
      codeOf(await bob.request("POST /comments", { body: { target: version, body: "Here then" } })),
    ).toEqual([409, "thread_locked"]);
    expect(await stateFor(null, "version:alice/locked@2")).toEqual({ locked: true });
    expect(await stateFor(alice, "prompt:alice/locked")).toEqual({
      locked: true,
      viewer: { canComment: false, canLock: true },
    });
    expect((await stateFor(mod, "prompt:alice/locked")).viewer).toEqual({ canComment: true, canLock: true });
    expect((await lock(alice, version.id, false, "version")).json.locked).toBe(true);
    for (const _ of [1, 2]) expect((await lock(mod, "alice/locked", false)).json.locked).toBe(false);
    // What an owner does to what is their own is no matter for the audit log.
    const audited = await server.sql`
      select action, actor_id as by from audit_log where action in ('comments.lock', 'comments.unlock')`;
    expect(audited.map((row) => ({ ...row }))).toEqual([{ action: "comments.unlock", by: mod.id }]);
    expect(await stateFor(bob, "prompt:alice/locked")).toEqual({
      locked: false,
      viewer: { canComment: true, canLock: false },
    });
    expect((await lock(alice, version.id, true, "version")).json.locked).toBe(true);
    await say(bob, "locked", "The version alone is locked");
  });

  test("of a moderator is not undone by the owner, also if the owner locked first", async () => {
    const { id: promptId } = await publish(alice, "locked-twice");
    const id = "alice/locked-twice";
    const stateOf = async () => (await stateFor(alice, `prompt:${id}`)).viewer.canLock;
    expect((await lock(alice, id, true)).status).toBe(200);
    expect(await stateOf()).toBe(true);
    // The second time it changes nothing.
    for (const _ of [1, 2]) expect((await lock(mod, id, true)).status).toBe(200);
    expect(await stateOf()).toBe(false);
    expect((await lock(alice, id, true)).json.locked).toBe(true);
    expect(codeOf(await lock(alice, id, false))).toEqual([403, "forbidden"]);
    expect((await lock(alice, `${id}@1`, false, "version")).status).toBe(200);
    expect((await lock(mod, id, false)).json.locked).toBe(false);
    expect(await stateOf()).toBe(true);
    expect((await lock(alice, id, true)).json.locked).toBe(true);
    expect((await lock(alice, id, false)).json.locked).toBe(false);
    const audited = await server.sql`
      select action, data->>'reason' as reason from audit_log
      where actor_id = ${mod.id} and target = ${promptId} order by id desc`;
    expect(audited.map((row) => ({ ...row }))).toEqual([
      { action: "comments.unlock", reason: "Heated" },
      { action: "comments.lock", reason: "Heated" },
    ]);
  });

  test("and a comment at the same time: it came before, or is none", async () => {
    await publish(alice, "lock-race");
    const [locked, sent] = await server.atOnce(
      (sql) => sql`select from prompts where slug = 'lock-race' for update`,
      [() => lock(alice, "alice/lock-race", true), () => sendTo(bob, "lock-race", "In time?")],
    );
    expect(locked?.status).toBe(200);
    expect([201, 409]).toContain(sent?.status);
    expect(await seenBy(null, "lock-race")).toHaveLength(sent?.status === 201 ? 1 : 0);
  });
});
