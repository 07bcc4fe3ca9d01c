import { afterAll, beforeAll, expect, test } from "vitest";
import { done, proposeFiles, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";

let server: TestServer;
const people: Record<string, Person> = {};
const names = ["alice", "bob", "carol", "watcher", "releases", "ignorer", "mod"];

beforeAll(async () => {
  server = await startTestServer();
  for (const name of names)
    people[name] = await server.join(name, name === "mod" ? { role: "moderator" } : {});
});
afterAll(() => server.stop());

const person = (name: string) => people[name] as Person;
const say = (name: string, id: string, body: string, parentId?: string, type = "prompt"): Promise<any> =>
  done(person(name), "POST /comments", { target: { type, id }, body, ...(parentId && { parentId }) });

/** Who was notified since the last time, by type. */
async function recipients(): Promise<Record<string, string[]>> {
  await server.workOff();
  const rows = await server.sql<{ type: string; handles: string[] }[]>`
    select n.type, array_agg(u.handle order by u.handle) as handles
    from notifications n join users u on u.id = n.user_id where n.read_at is null group by n.type`;
  await server.sql`update notifications set read_at = clock()`;
  return Object.fromEntries(rows.map(({ type, handles }) => [type, handles]));
}
const publishWatched = async (slug: string, visibility = "public") => {
  await publishFiles(person("alice"), slug, { "PROMPT.md": "Hello" });
  for (const [name, level] of [
    ["watcher", "all"],
    ["releases", "releases"],
    ["ignorer", "ignore"],
  ] as const)
    await done(person(name), `PUT /prompts/alice/${slug}/watch`, { level });
  if (visibility !== "public") await done(person("alice"), `PATCH /prompts/alice/${slug}`, { visibility });
  await recipients();
};

test("a comment reaches the owner and who watches all, but not who wrote it", async () => {
  await publishWatched("told");
  await say("bob", "alice/told", "Hello");
  expect(await recipients()).toEqual({ "comment.created": ["alice", "watcher"] });
  await say("watcher", "alice/told", "I watch this");
  expect(await recipients()).toEqual({ "comment.created": ["alice"] });
});

test("a mention, a reply and a watch that meet are one notification, and whoever ignores the prompt hears nothing", async () => {
  await publishWatched("met");
  const { id } = await say("carol", "alice/met", "A question");
  const { id: silent } = await say("ignorer", "alice/met", "Another one");
  await recipients();
  await say("bob", "alice/met", "An answer", id);
  expect(await recipients()).toEqual({ "comment.created": ["alice", "carol", "watcher"] });
  await say("bob", "alice/met", "@carol @watcher @alice @ignorer @bob see above", id);
  expect(await recipients()).toEqual({ "comment.mentioned": ["alice", "carol", "watcher"] });
  const reply = await say("bob", "alice/met", "To who does not want to hear it", silent);
  expect(await recipients()).toEqual({ "comment.created": ["alice", "watcher"] });
  await done(person("alice"), "PUT /prompts/alice/met/watch", { level: "ignore" });
  // Who answers in a thread is answered to: its first author and the one who is named.
  await say("carol", "alice/met", "And @alice too", reply.id);
  expect(await recipients()).toEqual({ "comment.created": ["bob", "watcher"] });
  const { items } = await done(person("carol"), "GET /notifications?type=comment.mentioned");
  expect(items).toMatchObject([
    {
      title: "You were mentioned in a comment on alice/met",
      body: "Written by bob.",
      target: { type: "comment" },
    },
  ]);
});

test("whoever deleted their comment hears of no more answers below it", async () => {
  await publishWatched("taken-back");
  const { id } = await say("carol", "alice/taken-back", "Is it taken back?");
  const { id: answer } = await say("bob", "alice/taken-back", "It was taken back", id);
  await done(person("carol"), `DELETE /comments/${id}`);
  await recipients();
  await say("alice", "alice/taken-back", "So it was", answer);
  expect(await recipients()).toEqual({ "comment.created": ["bob", "watcher"] });
});

test("whoever proposed a change hears of what is said about it", { tags: "long" }, async () => {
  await publishWatched("proposed");
  const { n } = await proposeFiles(person("bob"), "alice/proposed", { "PROMPT.md": "Hello you" });
  await proposeFiles(person("carol"), "alice/proposed", { "PROMPT.md": "Hello all" });
  await recipients();
  await say("alice", `alice/proposed!${n}`, "Good idea", undefined, "change_request");
  expect(await recipients()).toEqual({ "comment.created": ["bob", "watcher"] });
});

test.each(["unlisted", "private"])("of a comment on what is %s only its owner hears", async (visibility) => {
  await publishWatched(visibility, visibility);
  const { status } = await say("alice", `alice/${visibility}`, `@carol, look at what is ${visibility}`);
  expect(status).toBe("visible");
  // Who sees it by its address can be told of it.
  const expected = visibility === "unlisted" ? { "comment.mentioned": ["carol"] } : {};
  expect(await recipients()).toEqual(expected);
});

test("an edit tells nobody, and a comment that is held tells nobody before it is published", async () => {
  await publishWatched("quiet");
  const { id } = await say("bob", "alice/quiet", "Hello");
  await recipients();
  await done(person("bob"), `PATCH /comments/${id}`, { body: "Hello @carol" });
  expect(await recipients()).toEqual({});
  const held = await say("bob", "alice/quiet", "@carol https://a.example");
  expect([held.status, await recipients()]).toEqual(["held", {}]);
  await done(person("mod"), `DELETE /comments/${held.id}/hide`);
  expect(await recipients()).toEqual({
    "comment.mentioned": ["carol"],
    "comment.created": ["alice", "watcher"],
  });
});

test("webhooks get one event, as they are filtered, with the beginning of the text in one line", async () => {
  await publishWatched("hooked");
  const { id: other } = await done(person("alice"), "GET /prompts/alice/told");
  expect(other).toMatch(/^prm_/);
  for (const [name, filter] of [
    ["alice", { prompts: ["alice/hooked"] }],
    ["alice", { prompts: ["alice/told"] }],
    ["alice", { events: ["prompt.deleted"] }],
    ["watcher", { events: ["comment.created"] }],
    ["releases", {}],
    ["ignorer", {}],
    ["carol", {}],
  ] as const)
    await done(person(name), "POST /webhooks", { url: "http://127.0.0.1:1/hook", ...filter });
  const { id, createdAt } = await say("bob", "alice/hooked", `@carol ${"word ".repeat(100)}\n\nend`);
  await server.workOff();
  const sent = await server.sql<{ handle: string }[]>`
    select u.handle from deliveries d join webhooks w on w.id = d.webhook_id join users u on u.id = w.user_id
    where d.event = 'comment.created' order by u.handle`;
  expect(sent.map(({ handle }) => handle)).toEqual(["alice", "watcher"]);
  const [event] = await server.sql<{ body: any }[]>`
    select convert_from(body, 'UTF8')::json as body from events where name = 'comment.created' order by created_at desc limit 1`;
  expect(event?.body).toMatchObject({ event: "comment.created", data: { prompt: { ref: "alice/hooked" } } });
  expect(event?.body.createdAt >= createdAt).toBe(true);
  const { excerpt, ...comment } = event?.body.data.comment ?? {};
  expect(comment).toEqual({
    id,
    url: `${server.context.publicUrl}/api/v1/comments?target=prompt:alice/hooked#${id}`,
    target: { type: "prompt", id: "alice/hooked" },
    parentId: null,
  });
  expect([excerpt.length, excerpt.slice(0, 12), excerpt.at(-1)]).toEqual([280, "@carol word ", "…"]);
});

test("a comment on a make reaches its maker, and the owner and watchers of the first public prompt that it was made with", async () => {
  await publishWatched("made-with");
  const make = (slug: string, fields: object = {}) =>
    done(person("carol"), "POST /makes", {
      title: "A bot",
      slug,
      body: "It greets",
      publish: true,
      ...fields,
    });
  const { links } = await make("made", { prompts: [{ prompt: "alice/made-with" }] });
  await recipients();
  const lastPrompt = async () => {
    const [row] = await server.sql<{ ref: string | null; to: string | null }[]>`
      select convert_from(body, 'UTF8')::json #>> '{data,prompt,ref}' as ref, prompt_id as to from events
      where name = 'comment.created' order by created_at desc, id desc limit 1`;
    return [row?.ref ?? null, row?.to === null];
  };
  await say("bob", "made", "Nice", undefined, "make");
  // It waits for alice: nothing leads from the make to her prompt yet.
  expect([await recipients(), await lastPrompt()]).toEqual([{ "comment.created": ["carol"] }, [null, true]]);
  await done(person("alice"), `POST /makes/made/prompts/${links[0].id}/approve`);
  await recipients();
  await say("bob", "made", "Very nice, @watcher", undefined, "make");
  expect([await recipients(), await lastPrompt()]).toEqual([
    { "comment.created": ["alice", "carol"], "comment.mentioned": ["watcher"] },
    ["alice/made-with", false],
  ]);
  await done(person("carol"), "PATCH /makes/made", { visibility: "unlisted" });
  await say("bob", "made", "Still nice", undefined, "make");
  expect(await recipients()).toEqual({ "comment.created": ["alice", "carol"] });
  const { items } = await done(person("carol"), "GET /notifications?type=comment.created");
  expect(items[0]).toMatchObject({ title: "New comment on made", target: { type: "comment" } });
  const mentions = async () =>
    (await done(person("watcher"), "GET /notifications?type=comment.mentioned")).items.map(
      ({ title }: { title: string }) => title,
    );
  expect(await mentions()).toContain("You were mentioned in a comment on made");
  await done(person("carol"), "PATCH /makes/made", { status: "draft" });
  expect(await mentions()).not.toContain("You were mentioned in a comment on made");
});

test("comments on a make are its maker's to lock, are hidden with it, and are none on a draft", async () => {
  const make = (fields: object) =>
    person("carol").request("POST /makes", { body: { title: "A bot", body: "Hi", ...fields } });
  await make({ slug: "talked", publish: true });
  await make({ slug: "draft-bot" });
  const { id } = await say("bob", "talked", "What a bot", undefined, "make");
  const on = { type: "make", id: "talked" };
  const status = async (name: string, route: string, body?: object) =>
    (await person(name).request(route, { body })).status;
  expect(await status("bob", "PUT /comments/lock", { target: on, locked: true })).toBe(403);
  await done(person("carol"), "PUT /comments/lock", { target: on, locked: true });
  expect(await status("bob", "POST /comments", { target: on, body: "More of it" })).toBe(409);
  const toMe = { target: { type: "make", id: "draft-bot" }, body: "To me" };
  const refused = await person("carol").request("POST /comments", { body: toMe });
  expect([refused.status, refused.json.error.details[0].path]).toEqual([422, "/target"]);
  const { items, locked } = await done(person("alice"), "GET /comments?target=make:talked");
  expect([items[0].id, items[0].target, locked]).toEqual([id, on, true]);
  await done(person("carol"), "PATCH /makes/talked", { slug: "talked-about", status: "draft" });
  expect(await status("alice", "GET /comments?target=make:talked-about")).toBe(404);
  expect(await status("bob", `PATCH /comments/${id}`, { body: "Other words" })).toBe(404);
});
