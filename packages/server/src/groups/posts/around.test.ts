import { afterAll, beforeAll, expect, test } from "vitest";
import { done } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf } from "../../../test/requests.ts";
import { flushCounters } from "../../kernel/changes/counters.ts";

let server: TestServer;
let author: Person;
let bob: Person;
let carol: Person;
let mod: Person;

beforeAll(async () => {
  server = await startTestServer();
  [author, bob, carol] = [await server.join("author"), await server.join("bob"), await server.join("carol")];
  mod = await server.join("mod", { role: "moderator" });
  await server.sql`update users set trusted_author = true where id = ${author.id}`;
});
afterAll(() => server.stop());

const draft = async (): Promise<string> =>
  (await done(author, "POST /posts", { title: "A post", body: "It says" })).id;
const publish = async (): Promise<string> => {
  const id = await draft();
  await done(author, `POST /posts/${id}/submit`, {});
  return id;
};
const unpublish = (id: string) => done(author, `POST /posts/${id}/unpublish`, {});
const typesOf = async (who: Person) =>
  (await done(who, "GET /notifications")).items.map(({ type }: { type: string }) => type);
const commentCount = async (id: string) => (await done(bob, `GET /posts/${id}`)).commentCount;

test("a comment on a post reaches its author and whom it mentions, and is hidden with the post", async () => {
  const id = await publish();
  const on = { type: "post", id };
  const { id: comment, target } = await done(bob, "POST /comments", { target: on, body: "Nice, @carol" });
  expect(target).toEqual(on);
  await server.workOff();
  expect([await typesOf(author), await typesOf(carol)]).toEqual([["comment.created"], ["comment.mentioned"]]);
  expect(await commentCount(id)).toBe(1);
  const [event] = await server.sql`
    select convert_from(body, 'UTF8')::json as body from events where name = 'comment.created'`;
  expect(event?.["body"].data).toMatchObject({ prompt: null, comment: { target: on } });
  expect((await done(author, "GET /notifications")).items[0].title).toBe("New comment on a post");
  expect(codeOf(await bob.request("PUT /comments/lock", { body: { target: on, locked: true } }))).toEqual([
    403,
    "forbidden",
  ]);
  await done(author, "PUT /comments/lock", { target: on, locked: true });
  const late = { target: on, body: "Too late" };
  expect(codeOf(await carol.request("POST /comments", { body: late }))).toEqual([409, "thread_locked"]);
  await unpublish(id);
  for (const route of [`GET /comments?target=post:${id}`, `PATCH /comments/${comment}`])
    expect(
      (await bob.request(route, { body: route.startsWith("PATCH") ? { body: "Else" } : undefined })).status,
    ).toBe(404);
  const own = await author.request("POST /comments", { body: { target: on, body: "To me" } });
  expect(codeOf(own)).toEqual([422, "validation_failed"]);
  await server.workOff();
  expect(await typesOf(carol)).toEqual([]);
});

test("readers vote for a post, once each, its author does not, and nobody does for a draft", async () => {
  const id = await publish();
  const vote = (who: Person, value: number) =>
    who.request("PUT /votes", { body: { target: { type: "post", id }, value } });
  expect((await vote(bob, 1)).json).toMatchObject({ up: 1, down: 0, value: 1 });
  expect((await vote(bob, -1)).json).toMatchObject({ up: 0, down: 1 });
  await vote(carol, 1);
  expect(codeOf(await vote(author, 1))).toEqual([403, "own_content"]);
  await flushCounters(server.sql);
  const { headers } = await server.anonymous(`GET /posts/${id}`);
  expect((await done(bob, `GET /posts/${id}`)).votes).toEqual({ up: 1, down: 1 });
  expect((await done(bob, `GET /posts/${id}`)).viewer).toMatchObject({ vote: -1 });
  await bob.request(`DELETE /votes?target=post:${id}`);
  expect((await server.anonymous(`GET /posts/${id}`)).headers.get("etag")).toBe(headers.get("etag"));
  await unpublish(id);
  expect((await vote(bob, 1)).status).toBe(404);
});

test("a post in a collection is shown to others while it is published, and leaves it when it is deleted", async () => {
  const post = await publish();
  const { id } = await done(bob, "POST /collections", { title: "To read" });
  const item = await done(bob, `POST /collections/${id}/items`, { type: "post", id: post });
  expect([item.type, item.target.title]).toEqual(["post", "A post"]);
  const shown = async () => {
    await server.workOff();
    const { items, itemCount } = (await server.anonymous(`GET /collections/${id}`)).json;
    return [items.length, itemCount];
  };
  expect(await shown()).toEqual([1, 1]);
  expect((await server.anonymous(`GET /collections?contains=post:${post}`)).json.items).toMatchObject([
    { id },
  ]);
  expect((await done(bob, `GET /collections/membership?target=post:${post}`)).items).toMatchObject([
    { id, contains: true },
  ]);
  await unpublish(post);
  expect(await shown()).toEqual([0, 0]);
  expect((await server.anonymous(`GET /collections?contains=post:${post}`)).json.items).toEqual([]);
  const hidden = await draft();
  const adding = { type: "post", id: hidden };
  expect((await bob.request(`POST /collections/${id}/items`, { body: adding })).status).toBe(404);
  await done(author, `POST /posts/${post}/submit`, {});
  expect(await shown()).toEqual([1, 1]);
  await done(author, `DELETE /posts/${post}`);
  await server.workOff();
  const rows = await server.sql`select from collection_items where collection_id = ${id}`;
  expect(rows).toHaveLength(0);
});

test("a report on a post reaches moderators, who can take it back or remove it, and never a draft", async () => {
  const report = async (who: Person, id: string) =>
    who.request("POST /reports", { body: { target: { type: "post", id }, reason: "spam" } });
  const decide = async (id: string, action: string) => {
    const [open] = (await done(mod, `GET /reports?target=post:${id}`)).items;
    expect(open.excerpt).toBe("A post");
    await done(mod, `PATCH /reports/${open.id}`, { status: "resolved", action, note: "Advertising" });
  };
  const id = await publish();
  expect((await report(bob, id)).status).toBe(201);
  await decide(id, "hidden");
  expect((await server.anonymous(`GET /posts/${id}`)).status).toBe(404);
  expect(await done(author, `GET /posts/${id}`)).toMatchObject({
    status: "draft",
    review: { decision: "unpublished", reason: "Advertising" },
  });
  const handled = async (who: Person) => (await done(who, "GET /reports?mine=true&status=resolved")).items;
  expect(await handled(bob)).toMatchObject([{ target: null }]);
  expect(codeOf(await report(bob, id))).toEqual([404, "not_found"]);
  expect(codeOf(await report(author, id))).toEqual([422, "validation_failed"]);
  const other = await publish();
  expect((await report(carol, other)).status).toBe(201);
  await decide(other, "removed");
  expect(codeOf(await author.request(`GET /posts/${other}`))).toEqual([410, "gone"]);
  expect(await handled(carol)).toMatchObject([{ target: null }]);
  const gone = await publish();
  expect((await report(carol, gone)).status).toBe(201);
  await unpublish(gone);
  const onGone = async () => (await done(mod, `GET /reports?target=post:${gone}`)).items[0];
  const open = await onGone();
  expect(open.target).toBeNull();
  const body = { status: "resolved", action: "hidden" };
  const late = async () => codeOf(await mod.request(`PATCH /reports/${open.id}`, { body }));
  expect(await late()).toEqual([422, "validation_failed"]);
  await server.sql`update users set trusted_author = false where id = ${author.id}`;
  expect(await done(author, `POST /posts/${gone}/submit`, {})).toMatchObject({ status: "in_review" });
  expect((await onGone()).target).toEqual({ type: "post", id: gone });
  expect((await done(carol, `GET /reports?target=post:${gone}`)).items).toMatchObject([{ target: null }]);
  expect(await late()).toEqual([422, "validation_failed"]);
  await server.sql`update users set trusted_author = true where id = ${author.id}`;
});
