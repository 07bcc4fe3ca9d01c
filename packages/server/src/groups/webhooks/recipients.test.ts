import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, promptOf } from "../../../test/prompts.ts";
import { fanOut } from "../../../test/notified.ts";
import { forgetFormer } from "./fan-out.sql.ts";

// No worker runs here: each test says when one comes at last. Time stands still, and goes on by a second when it is said.
let server: TestServer;
let alice: Person;
let bob: Person;
let people = 0;
let prompt: string;
let now = Date.parse("2031-01-01T00:00:00.000Z");

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  people += 1;
  alice = await server.join(`alice-${people}`);
  bob = await server.join(`bob-${people}`);
  await goOn();
  prompt = `/prompts/${alice.handle}/p`;
  await publish("p");
  await publish("other");
  await catchUp();
});
afterAll(() => server.stop());

async function goOn(seconds = 1): Promise<void> {
  now += seconds * 1000;
  await server.setClock(new Date(now).toISOString());
}

/** Asks for something that is done, and lets a second go by. */
async function ask(who: Person, route: string, body?: object): Promise<any> {
  const { status, json } = await who.request(route, { body });
  expect(status).toBeLessThan(300);
  await goOn();
  return json;
}
const publish = (slug: string) => ask(alice, "POST /prompts", promptOf(slug, { title: slug }));
const move = (name = "production", at = prompt) =>
  ask(alice, `PUT ${at}/labels/${name}`, { versionNumber: 1 });
const watch = (level = "releases", who = bob) => ask(who, `PUT ${prompt}/watch`, { level });
const unwatch = () => ask(bob, `DELETE ${prompt}/watch`);
const patch = (id: string, body: object, who = bob) => ask(who, `PATCH /webhooks/${id}`, body);
const subscribe = async (fields: object = {}, who = bob): Promise<string> =>
  (await ask(who, "POST /webhooks", { url: "http://127.0.0.1:9/hook", ...fields })).id;

/** The worker comes, for all that has happened since it came last. */
const catchUp = () => fanOut(server);

/** The labels whose moves wait for a webhook, in the order of their moves. */
const heard = async (id: string, who = bob): Promise<string[]> => {
  const { json } = await who.request(`GET /webhooks/${id}/deliveries?include=payload&status=pending`);
  const payloads = json.items.map((item: any) => item.payload);
  payloads.sort((a: any, b: any) => a.createdAt.localeCompare(b.createdAt));
  return payloads.map(({ data }: any) => data.label.name);
};
const told = async (who = bob): Promise<string[]> =>
  (await who.request("GET /notifications")).json.items.map(({ title }: any) => title.split(" ")[0]).reverse();

describe("however late the worker comes, an event reaches nobody", () => {
  test("through a webhook that was made later", async () => {
    await watch();
    await move();
    const [own, watching] = [await subscribe({}, alice), await subscribe()];
    await catchUp();
    expect([await heard(own, alice), await heard(watching), await told()]).toEqual([[], [], ["production"]]);
  });

  test("through a watch that was made later, or a level that was raised later", async () => {
    const id = await subscribe();
    await move("before");
    await watch("ignore");
    await move("ignored");
    await watch("all");
    await move("heard");
    await catchUp();
    expect([await heard(id), await told()]).toEqual([["heard"], ["heard"]]);
  });

  test("through a webhook that was disabled then, and enabled since", async () => {
    const id = await subscribe({}, alice);
    await move("before");
    await patch(id, { active: false }, alice);
    await move("between");
    await patch(id, { events: ["prompt.deleted"] }, alice);
    await patch(id, { events: null, active: true }, alice);
    await move("after");
    await catchUp();
    expect(await heard(id, alice)).toEqual(["after"]);
  });

  test("through a filter that lets it pass only now", async () => {
    const [byEvent, byPrompt] = [
      await subscribe({ events: ["prompt.deleted"] }, alice),
      await subscribe({ prompts: [`${alice.handle}/other`] }, alice),
    ];
    await move("before");
    await patch(byEvent, { events: null }, alice);
    await patch(byPrompt, { prompts: [`${alice.handle}/p`] }, alice);
    await move("after");
    await catchUp();
    expect([await heard(byEvent, alice), await heard(byPrompt, alice)]).toEqual([["after"], ["after"]]);
  });

  test("through what was asked for in the millisecond in which it happened, if that is no more", {
    tags: "long",
  }, async () => {
    const ask = (route: string, body?: object) => bob.request(route, { body });
    await ask(`PUT ${prompt}/watch`, { level: "all" });
    const ids = [];
    for (const _ of [1, 2])
      ids.push((await ask("POST /webhooks", { url: "http://127.0.0.1:9/hook" })).json.id);
    const [changed, same] = ids;
    await move("heard");
    await ask(`DELETE ${prompt}/watch`);
    await ask(`PATCH /webhooks/${changed}`, { events: ["prompt.deleted"] });
    await move("late");
    await ask(`PUT ${prompt}/watch`, { level: "all" });
    await move("again");
    await catchUp();
    const both = ["heard", "again"];
    expect([await heard(changed), await heard(same), await told()]).toEqual([["heard"], both, both]);
  });

  test("for being ahead of the clock, as the last of many at once are", async () => {
    const labels = Array.from({ length: 40 }, (_, i) => `l${i}`);
    await commit(alice, "p", "Many", { labels });
    await goOn(0.005);
    const id = await subscribe({}, alice);
    await catchUp();
    expect(await heard(id, alice)).toEqual([]);
  });
});

describe("however late the worker comes, an event reaches whoever it concerned", () => {
  test("through a filter that has let nothing of it pass since", async () => {
    const id = await subscribe({}, alice);
    await move("first");
    await patch(id, { events: ["prompt.deleted"] }, alice);
    await move("second");
    await patch(id, { events: ["prompt.label.moved"], prompts: [`${alice.handle}/p`] }, alice);
    await move("third");
    await move("other", `/prompts/${alice.handle}/other`);
    await patch(id, { prompts: [`${alice.handle}/other`] }, alice);
    await move("fourth");
    await catchUp();
    expect(await heard(id, alice)).toEqual(["first", "third"]);
  });

  test("through a watch that was lowered or has ended since", async () => {
    const id = await subscribe();
    await watch("all");
    await move("first");
    await watch("ignore");
    await move("second");
    await watch("releases");
    await move("third");
    await unwatch();
    await move("fourth");
    await catchUp();
    expect([await heard(id), await told()]).toEqual([
      ["first", "third"],
      ["first", "third"],
    ]);
  });

  test("but not through a webhook that was disabled since, whatever its filter was, or deleted", async () => {
    const ids = [await subscribe({}, alice), await subscribe({}, alice)];
    await move();
    for (const id of ids) await patch(id, { events: ["prompt.deleted"] }, alice);
    const [disabled = "", deleted = ""] = ids;
    await patch(disabled, { active: false }, alice);
    await patch(disabled, { active: true }, alice);
    await ask(alice, `DELETE /webhooks/${deleted}`);
    await catchUp();
    expect(await heard(disabled, alice)).toEqual([]);
    expect((await server.sql`select from deliveries where webhook_id = ${deleted}`).count).toBe(0);
  });

  test("a second time, when nobody knows any more who had heard of it", async () => {
    const id = await subscribe();
    await watch();
    await move();
    await unwatch();
    await patch(id, { events: ["prompt.deleted"] });
    await catchUp();
    await patch(id, { events: null });
    const late = await subscribe();
    await server.sql`update webhooks set since = '-infinity'`;
    await server.sql`update watches set since = '-infinity'`;
    await catchUp();
    expect([await heard(id), await heard(late)]).toEqual([["production"], []]);
  });
});

test("two changes in one millisecond leave what was before them, and what is after", async () => {
  const id = await subscribe();
  await watch("all");
  await move("before");
  for (const level of ["ignore", "releases", "ignore"]) {
    await bob.request(`PUT ${prompt}/watch`, { body: { level } });
    await bob.request(`PATCH /webhooks/${id}`, {
      body: { events: [`prompt.${level === "ignore" ? "deleted" : "published"}`] },
    });
  }
  await goOn();
  await move("after");
  await catchUp();
  expect(await heard(id)).toEqual(["before"]);
});

test("an owner who ignores a prompt is told nothing of it, while their webhooks are", async () => {
  const id = await subscribe({}, alice);
  // What others ignore is nothing to them.
  await watch("ignore");
  await move("first");
  await watch("ignore", alice);
  await move("second");
  await watch("all", alice);
  await unwatch();
  await watch("ignore");
  await move("third");
  // From the very millisecond on.
  await alice.request(`PUT ${prompt}/watch`, { body: { level: "ignore" } });
  await move("fourth");
  // Somebody else did it, of which they are told.
  await server.sql`
    update events set body = convert_to(replace(convert_from(body, 'UTF8'), ${alice.id}, ${bob.id}), 'UTF8')
    where fanned_out_at is null`;
  await catchUp();
  expect(await heard(id, alice)).toEqual(["first", "second", "third", "fourth"]);
  expect(await told(alice)).toEqual(["first", "third"]);
});

test("whoever was notified of an event as of something else is not notified again", async () => {
  await watch();
  await move();
  await server.sql`update events set notified_ids = array[${bob.id}] where fanned_out_at is null`;
  await catchUp();
  expect(await told()).toEqual([]);
});

describe("of a prompt that turned private before the worker came", () => {
  test.for(["private", "deleted", "public again"])("and is %s now, its owner hears alone", async (state) => {
    const [own, watching] = [await subscribe({}, alice), await subscribe()];
    await watch("all");
    await move("before");
    if (state === "deleted") await ask(alice, `DELETE ${prompt}`);
    else await ask(alice, `PATCH ${prompt}`, { visibility: "private" });
    if (state === "public again") {
      await ask(alice, `PATCH ${prompt}`, { visibility: "public" });
      await move("after");
    }
    await catchUp();
    const after = state === "public again" ? ["after"] : [];
    const { json } = await alice.request(`GET /webhooks/${own}/deliveries?event=prompt.label.moved`);
    expect(json.items.length).toBe(1 + after.length);
    expect([await heard(watching), await told()]).toEqual([after, after]);
  });

  test("but is only unlisted now, everybody does who did", async () => {
    const watching = await subscribe();
    await watch("all");
    await move("before");
    await ask(alice, `PATCH ${prompt}`, { visibility: "unlisted" });
    await move("after");
    await catchUp();
    expect(await heard(watching)).toEqual(["before"]);
  });
});

test("what was asked for before is forgotten an hour after the last event that it can concern", async () => {
  const count = async () => {
    const [row] = await server.sql`
      select (select count(*) from former_filters) + (select count(*) from former_watches) as count`;
    return Number(row?.["count"]);
  };
  await goOn(4000);
  await forgetFormer(server.sql);
  expect(await count()).toBe(0);
  const id = await subscribe();
  await watch();
  await move();
  await unwatch();
  await patch(id, { events: ["prompt.deleted"] });
  await goOn(4000);
  await forgetFormer(server.sql);
  expect(await count()).toBe(2);
  await catchUp();
  expect(await heard(id)).toEqual(["production"]);
  await forgetFormer(server.sql);
  expect(await count()).toBe(0);
  await watch();
  await unwatch();
  // An hour to the millisecond: the clock has gone on by a second already.
  await goOn(3599);
  await forgetFormer(server.sql);
  expect(await count()).toBe(1);
});
