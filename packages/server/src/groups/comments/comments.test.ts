import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done, proposeFiles, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { hostileHtml } from "../../../test/hostile-html.ts";
import { strays } from "../../../test/html.ts";
import { publish } from "../../../test/prompts.ts";
import { scoreComments } from "./score.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
});
afterAll(() => server.stop());

const on = (slug: string) => ({ type: "prompt", id: `alice/${slug}` });
const sendTo = (who: Person, slug: string, body: string, parentId?: string) =>
  who.request("POST /comments", { body: { target: on(slug), body, ...(parentId && { parentId }) } });
const say = async (who: Person, slug: string, body: string, parentId?: string): Promise<any> => {
  const { status, json, text } = await sendTo(who, slug, body, parentId);
  expect([status, text]).toEqual([201, text]);
  return json;
};
const read = async (who: Person | null, query: string): Promise<any> =>
  (who ? await who.request(`GET /comments?${query}`) : await server.anonymous(`GET /comments?${query}`)).json;
const threadsOf = async (who: Person | null, slug: string, query = "") =>
  (await read(who, `target=prompt:alice/${slug}${query}`)).items;
const bodiesOf = (items: { body: string }[]) => items.map(({ body }) => body);
const countOf = async (slug: string) =>
  (await server.anonymous(`GET /prompts/alice/${slug}`)).json.counts.comments;

describe("comments stand in threads of two levels", () => {
  test("with the first 20 replies, and all of them below the thread", async () => {
    await publish(alice, "threads");
    const root = await say(bob, "threads", "Does it work?");
    const reply = await say(alice, "threads", "Reply 1", root.id);
    expect(reply).toMatchObject({ parentId: root.id, target: on("threads"), author: { handle: "alice" } });
    for (let nth = 2; nth <= 22; nth++)
      expect((await say(carol, "threads", `Reply ${nth}`, reply.id)).parentId).toBe(root.id);
    await say(carol, "threads", "Another question");
    const [first, second] = await threadsOf(null, "threads");
    expect(first).toMatchObject({ id: root.id, replyCount: 22 });
    expect(bodiesOf(first.replies)).toEqual(Array.from({ length: 20 }, (_, nth) => `Reply ${nth + 1}`));
    expect(second).toMatchObject({ replyCount: 0, replies: [] });
    expect(await countOf("threads")).toBe(24);
    const all = await read(null, `target=comment:${root.id}`);
    expect(bodiesOf(all.items)).toEqual(Array.from({ length: 22 }, (_, nth) => `Reply ${nth + 1}`));
    expect(all.items[0]).toMatchObject({ replyCount: 0, replies: [] });
    const page = await read(null, `target=comment:${root.id}&sort=newest&limit=2`);
    expect(bodiesOf(page.items)).toEqual(["Reply 22", "Reply 21"]);
    // A reply begins no list of its own.
    const below = await server.anonymous(`GET /comments?target=comment:${reply.id}`);
    expect(below.status).toBe(404);
  });

  test("in any order, page by page", async () => {
    await publish(alice, "orders");
    for (const nth of [1, 2, 3, 4, 5]) await say(bob, "orders", `Comment ${nth}`);
    for (const [sort, expected] of [
      ["oldest", [1, 2, 3, 4, 5]],
      ["newest", [5, 4, 3, 2, 1]],
    ] as const) {
      const seen: string[] = [];
      let cursor = "";
      do {
        const { items, nextCursor } = await read(
          null,
          `target=prompt:alice/orders&sort=${sort}&limit=2${cursor}`,
        );
        seen.push(...bodiesOf(items));
        cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
      } while (cursor !== "");
      expect(seen).toEqual(expected.map((nth) => `Comment ${nth}`));
    }
  });

  test("on pages that end where they would grow too large, with the replies that stand on them", {
    tags: "long",
  }, async () => {
    const { id: promptId } = await publish(alice, "long");
    const html = "x".repeat(1_000_000);
    const root = await say(bob, "long", "Begins");
    for (let nth = 0; nth < 10; nth++) await say(bob, "long", `Reply ${nth}`, root.id);
    for (let nth = 0; nth < 3; nth++) await say(bob, "long", `Long ${nth}`);
    await server.sql`update comments set body_html = ${html} where prompt_id = ${promptId}`;
    const bodies: string[][] = [];
    let cursor = "";
    do {
      const { items, nextCursor } = await read(null, `target=prompt:alice/long${cursor}`);
      bodies.push(bodiesOf(items));
      cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
    } while (cursor !== "");
    expect(bodies).toEqual([["Begins"], ["Long 0", "Long 1", "Long 2"]]);
  });

  test("the best first by what their votes show, not by how many", async () => {
    await publish(alice, "best");
    const people = await Promise.all(Array.from({ length: 9 }, (_, nth) => server.join(`voter-${nth}`)));
    const vote = (id: string, value: number, who: Person) =>
      done(who, "PUT /votes", { target: { type: "comment", id }, value });
    const [disputed, liked, none, small, worst, bad] = await Promise.all(
      ["disputed", "liked", "none", "small", "worst", "bad"].map(
        async (body) => (await say(bob, "best", body)).id,
      ),
    );
    for (const [nth, who] of people.entries()) {
      await vote(disputed, nth < 7 ? 1 : -1, who);
      if (nth < 5) await vote(liked, 1, who);
      if (nth < 1) await vote(small, 1, who);
      if (nth < 2) await vote(worst, -1, who);
      if (nth < 1) await vote(bad, -1, who);
    }
    expect(none).toBeDefined();
    await say(bob, "best", "none yet");
    await scoreComments(server.sql);
    expect(bodiesOf(await threadsOf(null, "best", "&sort=top"))).toEqual([
      "liked",
      "disputed",
      "small",
      "none yet",
      "none",
      "bad",
      "worst",
    ]);
    const { items, nextCursor } = await read(null, "target=prompt:alice/best&sort=top&limit=2");
    expect(items[1].votes).toEqual({ up: 7, down: 2 });
    const rest = await read(null, `target=prompt:alice/best&sort=top&limit=2&cursor=${nextCursor}`);
    expect(bodiesOf(rest.items)).toEqual(["small", "none yet"]);
    const last = await read(null, `target=prompt:alice/best&sort=top&limit=2&cursor=${rest.nextCursor}`);
    expect(bodiesOf(last.items)).toEqual(["none", "bad"]);
    // The vote of who reads it.
    const asVoter = await threadsOf(people[8]!, "best");
    expect(asVoter.find(({ id }: { id: string }) => id === disputed).viewer.vote).toBe(-1);
    expect(
      (await bob.request("PUT /votes", { body: { target: { type: "comment", id: liked }, value: 1 } }))
        .status,
    ).toBe(403);
  });

  test("whose votes changed while somebody has one of them leave it for the next time, once each", async () => {
    await publish(alice, "scored");
    const [held, free] = [(await say(bob, "scored", "Held")).id, (await say(bob, "scored", "Free")).id];
    for (const id of [held, free])
      await done(carol, "PUT /votes", { target: { type: "comment", id }, value: 1 });
    const due = () => server.sql`select distinct comment_id as id from comment_votes`;
    await server.sql.begin(async (sql) => {
      await sql`select from comments where id = ${held} for update`;
      await scoreComments(server.sql);
    });
    expect(await due()).toEqual([{ id: held }]);
    await scoreComments(server.sql);
    expect(await due()).toEqual([]);
  });

  test("on versions and change requests too, which the prompt does not count", async () => {
    await publishFiles(alice, "parts", { "PROMPT.md": "Hello" });
    const { n } = await proposeFiles(bob, "alice/parts", { "PROMPT.md": "Hello you" });
    for (const target of [
      { type: "version", id: "alice/parts@1" },
      { type: "change_request", id: `alice/parts!${n}` },
    ]) {
      const { json, headers } = await carol.request("POST /comments", {
        body: { target, body: `On ${target.id}` },
      });
      expect(json).toMatchObject({ target, status: "visible" });
      expect(headers.get("location")).toMatch(
        `/api/v1/comments?target=${target.type}:${target.id}#${json.id}`,
      );
      const { items } = await read(null, `target=${target.type}:${target.id}`);
      expect(bodiesOf(items)).toEqual([`On ${target.id}`]);
    }
    expect(await threadsOf(null, "parts")).toEqual([]);
    expect(await countOf("parts")).toBe(0);
    // A comment cannot be answered somewhere else.
    const [there] = (await read(null, "target=version:alice/parts@1")).items;
    expect((await sendTo(bob, "parts", "Here", there.id)).status).toBe(404);
    // On what is not published there is nothing to say yet.
    await publish(alice, "a-draft", { publish: false });
    expect((await sendTo(alice, "a-draft", "Soon")).json.error.code).toBe("prompt_not_published");
    // Its address follows the prompt.
    await done(alice, "PATCH /prompts/alice/parts", { slug: "moved-parts" });
    const [moved] = (await read(null, "target=version:alice/parts@1")).items;
    expect(moved.target.id).toBe("alice/moved-parts@1");
  });
});

test("what somebody wrote is listed for them alone, the newest first, with what they still see of where it stands", async () => {
  const dora = await server.join("dora");
  const { id: promptId } = await publish(alice, "own");
  const { id: makeId } = await done(alice, "POST /makes", {
    title: "Own",
    slug: "own",
    body: "x",
    publish: true,
  });
  const root = await say(alice, "own", "Begins");
  await say(dora, "own", "A reply", root.id);
  await say(dora, "own", "https://a.example https://b.example https://c.example");
  await done(dora, `DELETE /comments/${(await say(dora, "own", "Deleted")).id}`);
  const onMake = { type: "make", id: "own" };
  for (const target of [{ type: "version", id: "alice/own@1" }, onMake]) {
    const { id } = await done(dora, "POST /comments", { target, body: `On the ${target.type}` });
    await done(alice, "POST /comments", { target, body: `On the ${target.type} too`, parentId: id });
  }
  const first = await read(dora, "author=me&limit=2");
  const rest = await read(dora, `author=me&limit=2&cursor=${first.nextCursor}`);
  expect([...first.items, ...rest.items]).toMatchObject([
    { body: "On the make", target: onMake, replyCount: 1, replies: [] },
    { body: "On the version", target: { type: "version", id: "alice/own@1" } },
    { status: "held", target: on("own"), viewer: { canEdit: true, canDelete: true, canHide: false } },
    { body: "A reply", parentId: root.id, target: on("own"), replyCount: 0 },
  ]);
  expect(rest).toMatchObject({ nextCursor: null, locked: false });

  await done(alice, "PATCH /prompts/alice/own", { visibility: "private" });
  await server.sql`update makes set status = 'draft' where id = ${makeId}`;
  const { items } = await read(dora, "author=me");
  expect(items.map(({ target }: { target: object }) => target)).toEqual([
    { type: "make", id: makeId },
    { type: "version", id: `${promptId}@1` },
    ...[1, 2].map(() => ({ type: "prompt", id: promptId })),
  ]);
  expect(items[0]).toMatchObject({
    body: "On the make",
    replyCount: 0,
    viewer: { canEdit: false, canDelete: false },
  });
  const own = (await read(alice, "author=me")).items.find(({ id }: { id: string }) => id === root.id);
  expect(own).toMatchObject({ target: on("own"), replyCount: 1 });
});

test("what somebody wrote is listed whole: no other filter goes with it", async () => {
  const statuses = [];
  for (const query of [
    ...["", "&status=held", "&sort=top", "&target=prompt:alice/threads"].map((more) => `author=me${more}`),
    "author=dora",
  ])
    statuses.push((await carol.request(`GET /comments?${query}`)).status);
  expect(statuses).toEqual([200, 422, 422, 422, 422]);
});

describe("a text", () => {
  test("is rendered, and mentions accounts outside of code and links", async () => {
    await publish(alice, "texts");
    const body =
      "**Thanks** @bob, (@CAROL) and @nobody-here.\n\n`@alice` [@alice](mailto:a@b.example) a@alice.example @alice/texts x@alice\n\n```\n@alice\n```";
    const comment = await say(bob, "texts", body);
    expect(comment.html).toMatch(/^<p><strong>Thanks<\/strong> @bob/);
    expect(comment.mentions.map(({ handle }: { handle: string }) => handle)).toEqual(["bob", "carol"]);
  });

  test("of hostile HTML is shown as text: wherever it comes back, a browser reads nothing but what may be there", async () => {
    await publish(alice, "hostile");
    const size = Math.ceil(hostileHtml.length / 8);
    for (let from = 0; from < hostileHtml.length; from += size)
      await say(
        bob,
        "hostile",
        hostileHtml
          .slice(from, from + size)
          .join("\n\n")
          .replace(/\p{Cc}/gu, "\n"),
      );
    const { items } = await read(bob, "target=prompt:alice/hostile");
    expect(items).toHaveLength(8);
    for (const { html } of items) expect(strays(html)).toEqual([]);
  });

  test("mentions ten accounts at most", async () => {
    const handles = Array.from({ length: 12 }, (_, nth) => `crowd-${nth}`);
    for (const handle of handles) await server.join(handle);
    const { mentions } = await say(bob, "texts", handles.map((handle) => `@${handle}`).join(" "));
    expect(mentions.map(({ handle }: { handle: string }) => handle)).toEqual(handles.slice(0, 10));
    // So many are suggested, too.
    expect((await bob.request("GET /comments/mentions?q=crowd-")).json.items).toHaveLength(10);
  });

  test("is read for a hundred handles at most, of accounts or not", async () => {
    const counts = [];
    for (const others of [99, 100]) {
      const names = Array.from({ length: others }, (_, nth) => `@nobody-${nth}`);
      counts.push((await say(bob, "texts", `${names.join(" ")} @carol`)).mentions.length);
    }
    expect(counts).toEqual([1, 0]);
  });

  test("mentions nobody who is suspended", async () => {
    const { id } = await server.join("suspended");
    await server.sql`update users set suspended_at = clock() where id = ${id}`;
    const { mentions } = await say(bob, "texts", "@suspended and @carol");
    expect(mentions.map(({ handle }: { handle: string }) => handle)).toEqual(["carol"]);
  });

  test("cannot be empty, invisible, too long or of control characters", async () => {
    for (const body of ["", " \n ", "\u200b\u3164", "x".repeat(10_001), "a\u0000", "a\u202eb"])
      expect([body.length, (await sendTo(bob, "texts", body)).status]).toEqual([body.length, 422]);
    expect((await sendTo(bob, "texts", "x".repeat(10_000))).status).toBe(201);
  });

  test("is found by those who are suggested: who takes part comes first", async () => {
    await publish(alice, "suggested");
    const bobby = await server.join("bobby");
    await server.join("boa");
    await server.join("bog", { suspended: true });
    await server.join("abe");
    await say(await server.join("bo"), "suggested", "I take part");
    const handlesFor = async (query: string) => {
      const { json } = await alice.request(`GET /comments/mentions?${query}`);
      return json.items.map(({ handle }: { handle: string }) => handle);
    };
    expect(await handlesFor("q=bo")).toEqual(["bo", "boa", "bob", "bobby"]);
    expect(await handlesFor("q=B&target=prompt:alice/suggested&limit=2")).toEqual(["bo", "boa"]);
    const { id } = await say(bobby, "suggested", "I take this back");
    await say(bob, "suggested", "I take part too", id);
    await done(bobby, `DELETE /comments/${id}`);
    expect(await handlesFor("q=b&target=prompt:alice/suggested&limit=3")).toEqual(["bob", "bo", "boa"]);
    expect(await handlesFor("q=b&target=prompt:alice/suggested&limit=1")).toEqual(["bob"]);
    // What nobody is shown is no part of it, nor a reply to it.
    await server.sql`update comments set status = 'hidden' where id = ${id}`;
    expect(await handlesFor("q=b&target=prompt:alice/suggested&limit=2")).toEqual(["bo", "boa"]);
    // Whose it is takes part without a word.
    expect(await handlesFor("q=a&target=prompt:alice/suggested")).toEqual(["alice", "abe"]);
    expect(await handlesFor("q=%25")).toEqual([]);
    // Of a long discussion the latest 500 comments count.
    await say(bobby, "suggested", "I am back");
    expect(await handlesFor("q=b&target=prompt:alice/suggested&limit=1")).toEqual(["bobby"]);
    await server.sql`
      insert into comments (id, prompt_id, target, author_id, body, body_hash, mentions, status)
      select new_id('cmt'), prompt_id, target, ${alice.id}, 'More', body_hash, '{}', 'visible'
      from comments, generate_series(1, 500) where id = ${id}`;
    expect(await handlesFor("q=b&target=prompt:alice/suggested&limit=1")).toEqual(["bo"]);
  });
});

describe("an edit", () => {
  const edit = (who: Person, id: string, body: string) =>
    who.request(`PATCH /comments/${id}`, { body: { body } });

  test("changes the text, the mentions and the time, for its author alone", async () => {
    await publish(alice, "edits");
    const { id } = await say(bob, "edits", "Tihs, @alice");
    const { json } = await edit(bob, id, "This, @carol");
    expect(json).toMatchObject({
      body: "This, @carol",
      html: "<p>This, @carol</p>\n",
      mentions: [{ handle: "carol" }],
    });
    expect(json.editedAt).not.toBeNull();
    expect((await edit(alice, id, "Mine")).status).toBe(403);
    const { id: other } = await say(bob, "edits", "As it was");
    expect((await edit(bob, other, "As it was")).json.editedAt).toBeNull();
  });

  test("is possible for 24 hours by the clock of the database", async () => {
    const { id, createdAt } = await say(bob, "edits", "Written once");
    const after = (ms: number) => new Date(Date.parse(createdAt) + ms).toISOString();
    const day = 24 * 60 * 60 * 1000;
    await server.setClock(after(day - 1));
    expect((await edit(bob, id, "Written again")).status).toBe(200);
    expect((await threadsOf(bob, "edits")).at(-1).viewer.canEdit).toBe(true);
    await server.setClock(after(day));
    const late = await edit(bob, id, "Written late");
    expect([late.status, late.json.error.code]).toEqual([409, "edit_window_closed"]);
    expect((await threadsOf(bob, "edits")).at(-1).viewer.canEdit).toBe(false);
    await server.setClock(new Date().toISOString());
  });

  test("that says what was said an hour ago is shown, as is a link of an account that is a day old", async () => {
    const { id, createdAt } = await say(bob, "edits", "Said before");
    const { id: other } = await say(bob, "edits", "To be the same");
    await server.setClock(new Date(Date.parse(createdAt) + 60 * 60 * 1000).toISOString());
    expect((await edit(bob, other, "Said before")).json.status).toBe("visible");
    await server.sql`update users set created_at = clock() - interval '24 hours' where id = ${bob.id}`;
    expect((await edit(bob, id, "See https://a.example")).json.status).toBe("visible");
    await server.setClock(new Date().toISOString());
  });
});

describe("a deletion", () => {
  const remove = (who: Person, id: string) => who.request(`DELETE /comments/${id}`);

  test("leaves a stub while there are replies", async () => {
    await publish(alice, "deleted");
    const { id } = await say(bob, "deleted", "A question by @carol");
    const { id: replyId } = await say(carol, "deleted", "An answer", id);
    expect((await remove(carol, id)).status).toBe(403);
    expect((await remove(bob, id)).status).toBe(204);
    const [stub] = await threadsOf(null, "deleted");
    expect(stub).toMatchObject({
      status: "deleted",
      author: null,
      body: null,
      html: null,
      mentions: [],
      replyCount: 1,
    });
    expect(bodiesOf(stub.replies)).toEqual(["An answer"]);
    expect(await countOf("deleted")).toBe(1);
    for (const answer of [
      await remove(bob, id),
      await bob.request(`PATCH /comments/${id}`, { body: { body: "Again" } }),
      await sendTo(bob, "deleted", "A reply", id),
      await carol.request("PUT /votes", { body: { target: { type: "comment", id }, value: 1 } }),
    ])
      expect([answer.status, answer.json.error.code]).toEqual([409, "comment_deleted"]);
    // The thread goes on below another reply.
    await say(bob, "deleted", "Thanks", replyId);
    for (const one of (await threadsOf(null, "deleted"))[0].replies)
      expect((await remove(one.author.handle === "bob" ? bob : carol, one.id)).status).toBe(204);
    expect(await threadsOf(null, "deleted")).toEqual([]);
    expect(await countOf("deleted")).toBe(0);
    for (const who of [alice, bob]) expect((await remove(who, id)).status).toBe(404);
  });

  test.for<[type: string, make: () => Promise<{ id: string }>, address?: string]>([
    ["prompt", () => publish(alice, "race"), "alice/race"],
    [
      "make",
      () => done(alice, "POST /makes", { title: "A", slug: "race", body: "x", publish: true }),
      "race",
    ],
    [
      "post",
      async () => {
        await server.sql`update users set trusted_author = true where id = ${alice.id}`;
        const { id } = await done(alice, "POST /posts", { title: "A post", body: "x" });
        return done(alice, `POST /posts/${id}/submit`);
      },
    ],
  ])(
    "on a %s and a reply at the same time leave one of the two, or a stub with a reply",
    async ([type, make, address]) => {
      const { id: placeId } = await make();
      const target = { type, id: address ?? placeId };
      const { id } = await done(bob, "POST /comments", { target, body: `A question on a ${type}` });
      const answer = { target, body: `An answer on a ${type}`, parentId: id };
      const [removed, replied] = await server.atOnce(
        (sql) => sql`select from ${sql(`${type}s`)} where id = ${placeId} for update`,
        [() => remove(bob, id), () => carol.request("POST /comments", { body: answer })],
      );
      expect(removed?.status).toBe(204);
      const { items } = await read(null, `target=${type}:${target.id}`);
      if (replied?.status === 201) expect(items).toMatchObject([{ status: "deleted", replyCount: 1 }]);
      else expect([replied?.status, items]).toEqual([404, []]);
      if (type === "prompt") expect(await countOf("race")).toBe(items.length);
    },
  );
});
