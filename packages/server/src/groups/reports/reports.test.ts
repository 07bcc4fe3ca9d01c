import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { expectDone } from "../../../test/scenes.ts";
import { proposeFiles } from "../../../test/forks.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
let mod: Person;
let admin: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
  mod = await server.join("mod", { role: "moderator" });
  admin = await server.join("root", { role: "admin" });
});
afterAll(() => server.stop());

interface Told {
  type: string;
  id: string;
}
const report = (who: Person, target: Told, more: object = {}) =>
  who.request("POST /reports", { body: { target, reason: "spam", ...more } });
const reported = async (who: Person, target: Told, more: object = {}) => {
  const { status, json, text } = await report(who, target, more);
  if (status !== 201) throw new Error(text);
  return json;
};
const decide = (who: Person, id: string, body: object) => who.request(`PATCH /reports/${id}`, { body });
const queue = async (who: Person, query = "") => (await who.request(`GET /reports?${query}`)).json.items;
const inQueue = async (who: Person, id: string) =>
  (await queue(who, "limit=100")).find((one: { id: string }) => one.id === id);
const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
const code = ({ status, json }: { status: number; json: any }) => [status, json.error.code];
const refusedAt = ({ status, json }: { status: number; json: any }) => [status, json.error.details[0].path];
const comment = async (who: Person, ref: string, body: string) =>
  (await who.request("POST /comments", { body: { target: { type: "prompt", id: ref }, body } })).json
    .id as string;
const handled = async (who: Person) => {
  await server.workOff();
  return (await who.request("GET /notifications?type=report.handled")).json.items;
};

describe("a report", () => {
  test("is one of a person on a thing while it is open", async () => {
    await publish(alice, "once");
    const target = { type: "prompt", id: "alice/once" };
    const answers = await Promise.all([report(bob, target), report(bob, target), report(carol, target)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
    expect(code(answers.find(({ status }) => status === 409)!)).toEqual([409, "report_exists"]);
    const { id } = answers.find(
      ({ status, json }) => status === 201 && json.target.id === "alice/once",
    )!.json;
    await decide(mod, id, { status: "dismissed" });
  });

  test("is shown to who wrote it without names, and to moderators with them and with what it is about", async () => {
    await publish(alice, "shown");
    const id = await comment(carol, "alice/shown", "Buy my watches ".repeat(20));
    const mine = await reported(bob, { type: "comment", id }, { details: "An advertisement" });
    expect(mine).toMatchObject({ reporter: null, owner: null, excerpt: null, openReports: null });
    expect(await queue(bob)).toContainEqual(mine);
    const [seen] = await queue(mod, `target=comment:${id}`);
    expect(seen).toMatchObject({
      id: mine.id,
      reporter: { handle: "bob" },
      owner: { handle: "carol" },
      excerpt: "Buy my watches ".repeat(20).slice(0, 280),
      openReports: 1,
      details: "An advertisement",
    });
    expect(idsOf(await queue(alice))).not.toContain(mine.id);
    expect(code(await decide(alice, mine.id, { status: "dismissed" }))).toEqual([404, "not_found"]);
    expect(code(await decide(bob, mine.id, { status: "dismissed" }))).toEqual([403, "forbidden"]);
  });

  test("is not shown to the moderator whom it is about", async () => {
    const { id } = await reported(bob, { type: "user", id: "mod" });
    expect(idsOf(await queue(mod))).not.toContain(id);
    expect(idsOf(await queue(admin))).toContain(id);
    expect(code(await decide(mod, id, { status: "dismissed" }))).toEqual([404, "not_found"]);
    // Nor decided by them, if it is theirs too: with an action that would close all others.
    const own = await reported(mod, { type: "user", id: "mod" });
    expect(idsOf(await queue(mod))).toContain(own.id);
    expect(idsOf(await queue(mod, "mine=true"))).toEqual([own.id]);
    expect(code(await decide(mod, own.id, { status: "dismissed" }))).toEqual([403, "forbidden"]);
  });

  test("needs details if its reason is another one", async () => {
    const target = { type: "user", id: "carol" };
    for (const more of [{}, { details: " " }])
      expect(refusedAt(await report(bob, target, { reason: "other", ...more }))).toEqual([422, "/details"]);
    expect((await report(bob, target, { reason: "other", details: "Impersonates me" })).status).toBe(201);
  });

  test.each([
    ["version", "alice/kinds@1"],
    ["user", "alice"],
  ])("can be about a %s", async (type, id) => {
    await publish(alice, "kinds").catch(() => {});
    expect((await reported(carol, { type, id })).target).toEqual({ type, id });
  });

  test("on a change request is about who proposed it, not about who may merge it", async () => {
    await publish(alice, "proposed");
    const { n } = await proposeFiles(bob, "alice/proposed", { "PROMPT.md": "Buy it" });
    const { id } = await reported(carol, { type: "change_request", id: `alice/proposed!${n}` });
    const seen = await inQueue(mod, id);
    expect([seen.owner.handle, seen.excerpt]).toEqual(["bob", "Better"]);
  });

  test("shows moderators how what is reported begins: a bio, or the title of an example, or its output", async () => {
    await carol.request("PATCH /me", { body: { bio: "I sell watches" } });
    await publish(carol, "excerpts");
    const example = async (body: object) =>
      (await carol.request("POST /prompts/carol/excerpts/examples", { body: { output: "Cheap", ...body } }))
        .json.id as string;
    const shown = async (type: string, id: string) =>
      (await inQueue(mod, (await reported(alice, { type, id })).id)).excerpt;
    expect(await shown("user", "carol")).toBe("I sell watches");
    expect(await shown("example", await example({ title: "Buy" }))).toBe("Buy");
    expect(await shown("example", await example({}))).toBe("Cheap");
  });

  test("is listed by its reason, beside the number of open ones on the same thing, ten at most", async () => {
    const crowded = await server.join("crowded");
    const { id } = await reported(bob, { type: "user", id: "crowded" }, { reason: "illegal" });
    const seen = () => queue(mod, "target=user:crowded&reason=illegal");
    const more = (count: number) => server.sql`
      with made as (
        insert into users (handle) select 'crowd-' || ${count}::int || n from generate_series(1, ${count}::int) n returning id
      )
      insert into reports (reporter_id, kind, subject_id, address, owner_id, reason)
      select id, 'user', ${crowded.id}, 'crowded', ${crowded.id}, 'spam' from made`;
    await more(8);
    expect(await seen()).toMatchObject([{ id, openReports: 9 }]);
    await more(4);
    expect(await seen()).toMatchObject([{ id, openReports: 10 }]);
    await server.sql`delete from reports where owner_id = ${crowded.id}`;
  });

  test("is of what its author sees: anything else is as missing, and what is deleted is gone", async () => {
    await publish(alice, "hers", { visibility: "private" });
    await publish(alice, "gone");
    await alice.request("DELETE /prompts/alice/gone");
    expect(code(await report(bob, { type: "prompt", id: "alice/hers" }))).toEqual([404, "not_found"]);
    expect(code(await report(bob, { type: "prompt", id: "alice/none" }))).toEqual([404, "not_found"]);
    expect(code(await report(bob, { type: "prompt", id: "alice/gone" }))).toEqual([410, "gone"]);
  });

  test("is never of a draft, not even by its owner: moderators would see it", async () => {
    const files = [{ path: "PROMPT.md", content: "Not yet" }];
    const draft = {
      kind: "text",
      slug: "not-yet",
      title: "Not yet",
      visibility: "public",
      files,
      publish: false,
    };
    expect((await alice.request("POST /prompts", { body: draft })).status).toBe(201);
    expect(code(await report(alice, { type: "prompt", id: "alice/not-yet" }))).toEqual([
      409,
      "prompt_not_published",
    ]);
    expect((await mod.request("GET /prompts/alice/not-yet")).status).toBe(404);
  });

  test("counts among the hundred that an account can have open, also if several come at once", async () => {
    const flooder = await server.join("flooder");
    const [open] = await server.sql<{ id: string }[]>`
      insert into reports (reporter_id, kind, subject_id, address, owner_id, reason)
      select ${flooder.id}, 'user', 'usr_' || n, 'somebody', ${alice.id}, 'spam' from generate_series(1, 100) n
      returning id`;
    const people = [alice, bob, carol];
    const send = ({ handle }: Person) => report(flooder, { type: "user", id: handle });
    expect(code(await send(alice))).toEqual([409, "quota_exceeded"]);
    await decide(mod, open!.id, { status: "dismissed" });
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = any (${people.map(({ id }) => id)}) for update`,
      people.map((who) => () => send(who)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await server.sql`delete from reports where reporter_id = ${flooder.id}`;
  });
});

test("two accounts that report each other at once do not wait for each other for ever", async () => {
  for (let round = 0; round < 5; round++) {
    const pair = await Promise.all(["one", "two"].map((name) => server.join(`${name}-${round}`)));
    const answers = await Promise.all(
      pair.map((who, nth) => report(who, { type: "user", id: pair[1 - nth]!.handle })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  }
});

describe("what is private", () => {
  test("is seen by moderators while a report on it is open, who cannot take part in it, and never as a draft", async () => {
    await publish(alice, "turned");
    const onPrompt = await reported(bob, { type: "prompt", id: "alice/turned" });
    const onVersion = await reported(bob, { type: "version", id: "alice/turned@1" });
    await alice.request("PATCH /prompts/alice/turned", { body: { visibility: "private" } });
    const look = async (who: Person, route = "GET /prompts/alice/turned") =>
      (await who.request(route)).status;
    expect([await look(mod), await look(admin), await look(bob)]).toEqual([200, 200, 404]);
    expect(await look(mod, "GET /prompts/alice/turned/raw")).toBe(200);
    expect(await look(mod, "GET /prompts/alice/turned/versions/1")).toBe(200);
    expect(await look(mod, "GET /prompts/alice/turned?view=version&version=1")).toBe(200);
    expect(await look(bob, "GET /prompts/alice/turned?view=version&version=1")).toBe(404);
    for (const route of ["POST /prompts/alice/turned/star", "POST /prompts/alice/turned/fork"])
      expect(await look(mod, route)).toBe(404);
    expect((await mod.request("GET /prompts?owner=alice")).text).not.toContain("turned");
    const seen = { target: { type: "version", id: "alice/turned@1" }, excerpt: "A greeting" };
    expect(await inQueue(mod, onVersion.id)).toMatchObject(seen);
    await decide(mod, onPrompt.id, { status: "dismissed" });
    expect(await look(mod)).toBe(200);
    expect(await inQueue(mod, onVersion.id)).toMatchObject(seen);
    const { json: closed } = await decide(mod, onVersion.id, { status: "dismissed" });
    expect(closed.target).toBeNull();
    expect([await look(mod), await look(admin), await look(alice)]).toEqual([404, 404, 200]);
  });

  test("holds for a collection too", async () => {
    const { id } = (await alice.request("POST /collections", { body: { title: "Mine" } })).json;
    const { id: on } = await reported(bob, { type: "collection", id });
    const { id: own } = await reported(alice, { type: "collection", id });
    await alice.request(`PATCH /collections/${id}`, { body: { visibility: "private" } });
    const look = async () => (await mod.request(`GET /collections/${id}`)).status;
    expect(await look()).toBe(200);
    const seen = { target: { type: "collection", id }, excerpt: "Mine" };
    expect(await inQueue(mod, on)).toMatchObject(seen);
    expect((await inQueue(bob, on)).target).toBeNull();
    expect((await inQueue(alice, own)).target).toEqual(seen.target);
    await decide(mod, own, { status: "dismissed" });
    expect(await look()).toBe(200);
    expect(await inQueue(mod, on)).toMatchObject(seen);
    expect((await decide(mod, on, { status: "resolved" })).json.target).toBeNull();
    expect(await look()).toBe(404);
    // Nor is one named that is there no more.
    await server.sql`delete from collections where id = ${id}`;
    expect((await queue(mod, `status=resolved&target=collection:${id}`))[0].target).toBeNull();
  });

  test("is not named to who reported it before, and later by the address that it had then", async () => {
    await publish(alice, "before");
    const { id } = await reported(bob, { type: "prompt", id: "alice/before" });
    await alice.request("PATCH /prompts/alice/before", { body: { slug: "after", visibility: "private" } });
    const shown = async () => (await inQueue(bob, id)).target;
    expect(await shown()).toBeNull();
    await alice.request("PATCH /prompts/alice/after", { body: { visibility: "unlisted" } });
    expect(await shown()).toEqual({ type: "prompt", id: "alice/before" });
    expect((await mod.request("GET /prompts/alice/before")).status).toBe(301);
  });
});

describe("a decision", () => {
  test("closes a report once, whoever comes first", async () => {
    await publish(alice, "twice");
    const { id } = await reported(bob, { type: "prompt", id: "alice/twice" });
    const answers = await Promise.all([
      decide(mod, id, { status: "resolved", note: "Thanks" }),
      decide(admin, id, { status: "dismissed" }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(code(answers.find(({ status }) => status === 409)!)).toEqual([409, "report_closed"]);
    const told = (await handled(bob)).filter((one: any) => one.target.id === id);
    expect(told).toHaveLength(1);
  });

  test("with an action closes all reports on the thing, tells each reporter, and the owner how to object", async () => {
    await publish(alice, "spam");
    const target = { type: "comment", id: await comment(carol, "alice/spam", "Cheap pills") };
    const { id: earlier } = await reported(bob, target);
    await decide(mod, earlier, { status: "dismissed" });
    const [first, second] = [
      await reported(bob, target),
      await reported(alice, target, { reason: "illegal" }),
    ];
    expect((await inQueue(mod, first.id)).openReports).toBe(2);
    const { json } = await decide(mod, first.id, {
      status: "resolved",
      action: "hidden",
      note: "No advertising",
    });
    expect(json).toMatchObject({ status: "resolved", action: "hidden", note: "No advertising" });
    expect(json).toMatchObject({ handledBy: { handle: "mod" }, excerpt: null, openReports: 0 });
    const { items } = (await carol.request("GET /comments?target=prompt:alice/spam")).json;
    expect(items[0].status).toBe("hidden");
    expect(code(await report(carol, target))).toEqual([409, "comment_hidden"]);
    const [toAlice] = await handled(alice);
    expect(toAlice).toMatchObject({
      title: "Your report was resolved",
      body: "It was hidden. The moderator writes: “No advertising”.",
      url: `${server.url}/api/v1/reports?mine=true&status=resolved`,
      target: { type: "report", id: second.id },
      actor: null,
    });
    const [toCarol] = await handled(carol);
    expect([toCarol.title, toCarol.url]).toEqual([
      "A moderator hid something of yours",
      `${server.url}/carol`,
    ]);
    expect(toCarol.body).toContain("To object, report your account, user:carol");
    expect(code(await decide(mod, second.id, { status: "dismissed" }))).toEqual([409, "report_closed"]);
    // What was decided before stays so.
    expect(idsOf(await queue(mod, `status=dismissed&target=comment:${target.id}`))).toEqual([earlier]);
    const audits =
      await server.sql`select action, data from audit_log where actor_id = ${mod.id} order by id desc limit 2`;
    expect(audits.map((row) => ({ ...row }))).toMatchObject([
      {
        action: "report.update",
        data: { on: target.id, status: "resolved", action: "hidden", note: "No advertising", closed: 2 },
      },
      { action: "comment.hide", data: { reason: "No advertising" } },
    ]);
  });

  test("without one closes that report alone, and tells its owner nothing", async () => {
    await publish(carol, "fine");
    const target = { type: "prompt", id: "carol/fine" };
    const [first, second] = [await reported(bob, target), await reported(alice, target)];
    const route = "GET /reports?limit=1&target=prompt:carol/fine";
    const { json: page } = await mod.request(route);
    const { json: rest } = await mod.request(`${route}&cursor=${page.nextCursor}`);
    expect([idsOf(page.items), idsOf(rest.items), rest.nextCursor]).toEqual([[first.id], [second.id], null]);
    const before = (await handled(carol)).length;
    await decide(mod, first.id, { status: "dismissed" });
    expect(idsOf(await queue(mod, "target=prompt:carol/fine"))).toEqual([second.id]);
    expect(await handled(carol)).toHaveLength(before);
  });

  test("does what the moderator could do by the operation itself, and no more", async () => {
    const { id: promptId } = await publish(alice, "acts");
    const { id } = await reported(bob, { type: "prompt", id: "alice/acts" });
    const act = (who: Person, action: string, status = "resolved") => decide(who, id, { status, action });
    for (const action of ["hidden", "removed"])
      expect(code(await act(mod, action))).toEqual([403, "forbidden"]);
    expect(refusedAt(await act(mod, "rated", "dismissed"))).toEqual([422, "/action"]);
    const heard: string[] = [];
    const end = server.context.bus.subscribe((changed) => heard.push(...(changed ?? [])));
    expect((await act(mod, "rated")).status).toBe(200);
    end();
    expect((await handled(alice))[0].title).toBe("A moderator rated something of yours");
    // Who waits for a change of it hears of it, as of any.
    expect(heard).toEqual(expect.arrayContaining([promptId, `of:${alice.id}`]));
    expect((await alice.request("GET /prompts/alice/acts")).json.rating).toBe("mature");
    const again = await reported(bob, { type: "prompt", id: "alice/acts" });
    expect((await decide(admin, again.id, { status: "resolved", action: "hidden" })).status).toBe(200);
    expect((await bob.request("GET /prompts/alice/acts")).status).toBe(404);
  });

  test("can remove a prompt, of which its owner and webhooks hear", async () => {
    await publish(alice, "removed");
    const { id } = await reported(bob, { type: "prompt", id: "alice/removed" });
    expect((await decide(admin, id, { status: "resolved", action: "removed" })).status).toBe(200);
    expect((await bob.request("GET /prompts/alice/removed")).status).toBe(410);
    const [event] = await server.sql`
      select e.name from events e join prompts p on p.id = e.prompt_id where p.slug = 'removed' order by e.id desc limit 1`;
    expect(event).toEqual({ name: "prompt.deleted" });
  });

  test("can yank a version, remove an example, and hide or remove a collection", async () => {
    await publish(alice, "parts");
    const onVersion = await reported(bob, { type: "version", id: "alice/parts@1" });
    await decide(mod, onVersion.id, { status: "resolved", action: "hidden", note: "Leaks a key" });
    const { json: version } = await alice.request("GET /prompts/alice/parts/versions/1");
    expect(version.yankedAt).not.toBeNull();
    const { id: example } = (
      await alice.request("POST /prompts/alice/parts/examples", { body: { input: "x", output: "y" } })
    ).json;
    const onExample = await reported(bob, { type: "example", id: example });
    expect(code(await decide(mod, onExample.id, { status: "resolved", action: "removed" }))).toEqual([
      403,
      "forbidden",
    ]);
    expect((await decide(admin, onExample.id, { status: "resolved", action: "removed" })).status).toBe(200);
    expect((await bob.request(`GET /prompts/alice/parts/examples/${example}`)).status).toBe(410);
    const { id: collection } = (await alice.request("POST /collections", { body: { title: "Bad" } })).json;
    const toHide = await reported(bob, { type: "collection", id: collection });
    await decide(admin, toHide.id, { status: "resolved", action: "hidden" });
    expect((await bob.request(`GET /collections/${collection}`)).status).toBe(404);
    await alice.request(`PATCH /collections/${collection}`, { body: { visibility: "public" } });
    const onCollection = await reported(bob, { type: "collection", id: collection });
    expect((await decide(admin, onCollection.id, { status: "resolved", action: "removed" })).status).toBe(
      200,
    );
    expect((await bob.request(`GET /collections/${collection}`)).status).toBe(404);
    expect((await queue(bob, "status=resolved")).at(-1)).toMatchObject({ id: onCollection.id, target: null });
  });

  test.each([
    ["user", "bob", "hidden", "A user cannot be hidden because of a report. Possible: none."],
    [
      "change_request",
      "alice/proposed!1",
      "hidden",
      "A change request cannot be hidden because of a report. Possible: none.",
    ],
    [
      "version",
      "alice/kinds@1",
      "removed",
      "A version cannot be removed because of a report. Possible: hidden.",
    ],
  ])("about a %s refuses what cannot be done", async (type, id, action, message) => {
    const one = await reported(await server.join(`reporter-of-${type.replace("_", "-")}`), { type, id });
    const { status, json } = await decide(admin, one.id, { status: "resolved", action });
    expect([status, json.error.details[0]]).toEqual([
      422,
      expect.objectContaining({ path: "/action", message }),
    ]);
  });

  test("can say of what was deleted meanwhile only that nothing is done", async () => {
    await publish(alice, "meanwhile");
    const { id } = await reported(bob, { type: "prompt", id: "alice/meanwhile" });
    await alice.request("DELETE /prompts/alice/meanwhile");
    expect(refusedAt(await decide(admin, id, { status: "resolved", action: "hidden" }))).toEqual([
      422,
      "/action",
    ]);
    expect((await decide(admin, id, { status: "resolved" })).status).toBe(200);
  });

  const makeAtOnce = async (slug: string): Promise<string> =>
    (await expectDone(alice, "POST /makes", { title: "At once", slug, body: "Buy it", publish: true })).id;

  test.for<[what: string, action: string, make: () => Promise<{ table: string; id: string; target: Told }>]>([
    [
      "a prompt",
      "rated",
      async () => {
        const { id } = await publish(alice, "at-once");
        return { table: "prompts", id, target: { type: "prompt", id: "alice/at-once" } };
      },
    ],
    [
      "a collection",
      "hidden",
      async () => {
        const { id } = await expectDone(alice, "POST /collections", { title: "At once" });
        return { table: "collections", id, target: { type: "collection", id } };
      },
    ],
    [
      "a make",
      "removed",
      async () => {
        const id = await makeAtOnce("at-once");
        return { table: "makes", id, target: { type: "make", id: "at-once" } };
      },
    ],
    [
      "a post",
      "hidden",
      async () => {
        await server.sql`update users set trusted_author = true where id = ${alice.id}`;
        const { id } = await expectDone(alice, "POST /posts", { title: "At once", body: "Buy it" });
        await expectDone(alice, `POST /posts/${id}/submit`, {});
        return { table: "posts", id, target: { type: "post", id } };
      },
    ],
    [
      "a comment on a make",
      "hidden",
      async () => {
        const id = await makeAtOnce("told-at-once");
        const on = { type: "make", id: "told-at-once" };
        const { id: said } = await expectDone(alice, "POST /comments", { target: on, body: "Buy it" });
        return { table: "makes", id, target: { type: "comment", id: said } };
      },
    ],
  ])("waits for another one on the same thing, which is %s", async ([, action, make]) => {
    const { table, id, target } = await make();
    const reports = [await reported(bob, target), await reported(carol, target)];
    const answers = await server.atOnce(
      (sql) => sql`select from ${sql(table)} where id = ${id} for update`,
      reports.map((one) => () => decide(admin, one.id, { status: "resolved", action })),
    );
    expect(answers.map(({ status, json }) => [status, json.error?.code]).sort()).toEqual([
      [200, undefined],
      [409, "report_closed"],
    ]);
  });

  test("and an edit, a deletion or another decision on the same comment wait for each other", async () => {
    await publish(alice, "races");
    for (let round = 0; round < 5; round++) {
      const id = await comment(carol, "alice/races", `Round ${round}`);
      const [first, second] = [
        await reported(bob, { type: "comment", id }),
        await reported(alice, { type: "comment", id }),
      ];
      const answers = await Promise.all([
        decide(mod, first.id, { status: "resolved", action: "hidden" }),
        decide(admin, second.id, { status: "resolved", action: "hidden" }),
        carol.request(`PATCH /comments/${id}`, { body: { body: `Edited ${round}` } }),
        carol.request(`DELETE /comments/${id}`),
      ]);
      for (const { status } of answers) expect([200, 204, 404, 409, 422]).toContain(status);
      const [row] =
        await server.sql`select count(*)::int as open from reports where subject_id = ${id} and status = 'open'`;
      const [prompt] = await server.sql`
        select p.open_reports = (select count(*) from reports r where r.prompt_id = p.id and r.status = 'open') as agrees
        from prompts p where slug = 'races'`;
      expect(prompt).toEqual({ agrees: true });
      expect(row?.["open"]).toBeLessThan(3);
    }
  });
});

test("a report on a make reaches moderators, who can remove it, and never a draft", async () => {
  const make = async (slug: string, publish = true) =>
    (await alice.request("POST /makes", { body: { title: "A bot", slug, body: "Buy it", publish } })).status;
  expect([await make("sold"), await make("unsold", false)]).toEqual([201, 201]);
  const target = { type: "make", id: "sold" };
  expect(refusedAt(await report(alice, { type: "make", id: "unsold" }))).toEqual([422, "/target"]);
  expect(code(await report(bob, { type: "make", id: "unsold" }))).toEqual([404, "not_found"]);
  const { id } = await reported(bob, target);
  await alice.request("PATCH /makes/sold", { body: { slug: "sold-out" } });
  expect(await queue(mod, "target=user:sold")).toEqual([]);
  const [seen] = await queue(mod, "target=make:sold");
  expect(seen).toMatchObject({ id, target, excerpt: "A bot", owner: { handle: "alice" } });
  expect(code(await decide(mod, id, { status: "resolved", action: "hidden" }))).toEqual([
    422,
    "validation_failed",
  ]);
  await alice.request("PATCH /makes/sold-out", { body: { status: "draft" } });
  expect(await inQueue(mod, id)).toMatchObject({ target: null, excerpt: null });
  await alice.request("PATCH /makes/sold-out", { body: { status: "published" } });
  expect((await decide(mod, id, { status: "resolved", action: "removed" })).status).toBe(200);
  expect(code(await alice.request("GET /makes/sold-out"))).toEqual([410, "gone"]);
  const [toAlice] = await handled(alice);
  expect(toAlice.body).toContain("Your make sold was removed.");
});

test("a report on a post names it to moderators alone once it is not published and waits for review", async () => {
  await server.sql`update users set trusted_author = true where id = ${alice.id}`;
  const { id } = await expectDone(alice, "POST /posts", { title: "Cheap", body: "Buy it" });
  await expectDone(alice, `POST /posts/${id}/submit`, {});
  const target = { type: "post", id };
  const mine = await reported(bob, target);
  const seen = async () => [
    (await inQueue(mod, mine.id)).target,
    (await queue(bob)).find((one: { id: string }) => one.id === mine.id).target,
  ];
  expect(await seen()).toEqual([target, target]);
  await expectDone(alice, `POST /posts/${id}/unpublish`, {});
  expect(await seen()).toEqual([null, null]);
  await server.sql`update users set trusted_author = false where id = ${alice.id}`;
  await expectDone(alice, `POST /posts/${id}/submit`, {});
  expect(await seen()).toEqual([target, null]);
});
