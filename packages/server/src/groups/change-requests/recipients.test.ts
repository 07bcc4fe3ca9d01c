import { afterAll, beforeAll, expect, test } from "vitest";
import { done, proposeFiles, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";

let server: TestServer;
const people: Record<string, Person> = {};
const names = ["alice", "bob", "releases", "all", "ignore", "mod"];
const base = { "PROMPT.md": "Hello" };
const changed = { "PROMPT.md": "Hello you" };

beforeAll(async () => {
  server = await startTestServer();
  for (const name of names)
    people[name] = await server.join(name, name === "mod" ? { role: "moderator" } : {});
});
afterAll(() => server.stop());

const person = (name: string) => people[name] as Person;
const work = () => server.workOff();
/** Who was notified since the last time, by type. */
async function recipients(): Promise<Record<string, string[]>> {
  await work();
  const rows = await server.sql<{ type: string; handles: string[] }[]>`
    select n.type, array_agg(u.handle order by u.handle) as handles
    from notifications n join users u on u.id = n.user_id where n.read_at is null group by n.type`;
  await server.sql`update notifications set read_at = clock()`;
  return Object.fromEntries(rows.map(({ type, handles }) => [type, handles]));
}
/** Who was sent an event by webhook. */
async function sent(event: string): Promise<string[]> {
  const rows = await server.sql<{ handle: string }[]>`
    select u.handle from deliveries d join webhooks w on w.id = d.webhook_id join users u on u.id = w.user_id
    where d.event = ${event} order by u.handle`;
  return rows.map(({ handle }) => handle);
}
const watch = async (slug: string) => {
  for (const level of ["releases", "all", "ignore"])
    await done(person(level), `PUT /prompts/alice/${slug}/watch`, { level });
};

test("an opened change request reaches the owner and who watches all, a merged one the owner's webhooks and its author", async () => {
  await publishFiles(person("alice"), "p", base);
  await watch("p");
  await recipients();
  for (const name of names) await done(person(name), "POST /webhooks", { url: "http://127.0.0.1:1/hook" });
  const { n } = await proposeFiles(person("bob"), "alice/p", changed);
  expect(await recipients()).toEqual({
    "prompt.forked": ["alice"],
    "change_request.opened": ["alice", "all"],
  });
  expect(await sent("change_request.opened")).toEqual(["alice", "all"]);
  await done(person("alice"), `POST /prompts/alice/p/change-requests/${n}/merge`, {});
  expect(await recipients()).toEqual({
    "prompt.version.created": ["all", "releases"],
    "change_request.merged": ["bob"],
  });
  expect(await sent("change_request.merged")).toEqual(["alice"]);
  const { items } = await done(person("bob"), "GET /notifications?type=change_request.merged");
  expect(items).toMatchObject([
    {
      title: "Change request 1 was merged into version 2 of alice/p",
      actor: { handle: "alice" },
      target: { type: "change_request", id: "alice/p!1" },
    },
  ]);
});

test("a closed change request is told to its author, if somebody else closed it", {
  tags: "long",
}, async () => {
  await publishFiles(person("alice"), "closed", base);
  const { n } = await proposeFiles(person("bob"), "alice/closed", changed);
  await recipients();
  const close = (name: string, state = "closed") =>
    done(person(name), `PATCH /prompts/alice/closed/change-requests/${n}`, { state });
  await close("bob");
  await close("bob", "open");
  expect(await recipients()).toEqual({});
  for (const name of ["alice", "mod"]) {
    await close(name);
    await close(name);
    expect(await recipients()).toEqual({ "change_request.closed": ["bob"] });
    await close("bob", "open");
  }
  await done(person("bob"), "PUT /prompts/alice/closed/watch", { level: "releases" });
  await close("alice");
  expect(await recipients()).toEqual({ "change_request.closed": ["bob"] });
  await close("bob", "open");
  await done(person("bob"), "PUT /prompts/alice/closed/watch", { level: "ignore" });
  await close("alice");
  expect(await recipients()).toEqual({});
});

test("of a fork only a public one is told to the owner of the source, and only while it can be seen", async () => {
  await publishFiles(person("alice"), "source", base);
  await recipients();
  for (const [slug, visibility] of [
    ["f-private", "private"],
    ["f-unlisted", "unlisted"],
  ])
    await done(person("bob"), "POST /prompts/alice/source/forks", { slug, visibility });
  await done(person("alice"), "POST /prompts/alice/source/forks", {});
  expect(await recipients()).toEqual({});
  await done(person("bob"), "POST /prompts/alice/source/forks", { slug: "f-public" });
  expect(await recipients()).toEqual({ "prompt.forked": ["alice"] });
  const items = async () =>
    (await done(person("alice"), "GET /notifications?type=prompt.forked&limit=1")).items;
  expect(await items()).toMatchObject([{ body: "Forked by bob: bob/f-public" }]);
  await done(person("bob"), "PATCH /prompts/bob/f-public", { visibility: "private" });
  expect(JSON.stringify(await items())).not.toContain("f-public");
});

test("a change request to a prompt that is not public is told to its owner alone", async () => {
  await publishFiles(person("alice"), "unlisted", base);
  await watch("unlisted");
  await done(person("alice"), "PATCH /prompts/alice/unlisted", { visibility: "unlisted" });
  await recipients();
  await proposeFiles(person("bob"), "alice/unlisted", changed);
  expect(await recipients()).toEqual({ "change_request.opened": ["alice"] });
});
