import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload, uploadOf } from "../../../test/media.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { rankPosts } from "./rank.sql.ts";
import { selectSeries } from "./shown.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let trusted: Person;
let mod: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  [alice, bob, trusted] = [
    await server.join("alice"),
    await server.join("bob"),
    await server.join("trusted"),
  ];
  mod = await server.join("mod", { role: "moderator" });
  await server.sql`update users set trusted_author = true where id = ${trusted.id}`;
});
afterAll(() => server.stop());

const write = async (who: Person, body: object = {}): Promise<string> =>
  (await done(who, "POST /posts", { title: "A post", body: "It says", ...body })).id;
const publish = async (body: object = {}): Promise<string> => {
  const id = await write(trusted, body);
  await done(trusted, `POST /posts/${id}/submit`, {});
  return id;
};
/** A post of alice's that waits for a moderator. */
const submit = async (body: object = {}): Promise<string> => {
  const id = await write(alice, body);
  await done(alice, `POST /posts/${id}/submit`, { note: "My first" });
  return id;
};
/** Decides about the text that a moderator reads now. */
const review = async (id: string, decision: string, reason?: string, who = mod) => {
  const [row] = await server.sql`select working_id as "revisionId" from posts where id = ${id}`;
  return who.request(`PATCH /posts/${id}`, { body: { review: { decision, reason, ...row } } });
};
const get = (id: string, who: Pick<Person, "request"> = server.nobody) => who.request(`GET /posts/${id}`);
const kindsOf = async (id: string, who: Person): Promise<string[]> =>
  (await done(who, `GET /posts/${id}/revisions`)).items.map(({ kind }: { kind: string }) => kind);
const idsOf = async (query: string, who: Pick<Person, "request"> = server.nobody): Promise<string[]> =>
  (await who.request(`GET /posts?${query}`)).json.items.map(({ id }: { id: string }) => id);

describe("a post", () => {
  test("is a draft of its author alone, until a moderator publishes what was submitted, and the author hears of it", async () => {
    const id = await write(alice, { title: "First steps", tags: ["start"], summary: "How to begin" });
    expect((await get(id)).status).toBe(404);
    expect((await get(id, mod)).status).toBe(404);
    await done(alice, `POST /posts/${id}/submit`, { note: "My first" });
    expect((await get(id)).status).toBe(404);
    expect((await get(id, mod)).json).toMatchObject({
      status: "in_review",
      submission: { note: "My first" },
    });
    expect(await idsOf("status=in_review", mod)).toContain(id);
    expect(codeOf(await alice.request("GET /posts?status=in_review"))).toEqual([403, "forbidden"]);
    expect(codeOf(await bob.request(`POST /posts/${id}/withdraw`))).toEqual([404, "not_found"]);
    expect((await review(id, "approved")).json).toMatchObject({ status: "published", body: "It says" });
    expect((await get(id)).json).toMatchObject({
      status: "published",
      title: "First steps",
      slug: "first-steps",
      html: "<p>It says</p>\n",
      readingMinutes: 1,
      review: null,
      submission: null,
    });
    expect((await get(id, alice)).json).toMatchObject({ review: { decision: "approved" }, submission: null });
    expect([await idsOf("tag=start"), await idsOf("q=begin"), await idsOf("author=alice")]).toEqual([
      [id],
      [id],
      [id],
    ]);
    await done(alice, `PATCH /posts/${id}`, { tags: ["zebra"] });
    expect([await idsOf("tag=zebra"), await idsOf("q=zebra"), await idsOf("tag=start")]).toEqual([
      [id],
      [id],
      [],
    ]);
    await server.workOff();
    const { items } = await done(alice, "GET /notifications");
    expect(items[0]).toMatchObject({
      type: "post.reviewed",
      title: "Your post is published",
      target: { id },
    });
  });

  test("that is published is read as it was, whatever its author writes, until that is published too", async () => {
    const id = await publish({ title: "Old", body: "Old text" });
    const [before, asBob] = [await get(id), await get(id, bob)];
    let etag = "*";
    for (const body of ["New", "New text"]) {
      const headers = { "if-match": etag };
      const saved = await trusted.request(`PUT /posts/${id}/autosave`, {
        body: { title: "New", body },
        headers,
      });
      ({ etag } = saved.json);
    }
    expect(await kindsOf(id, trusted)).toEqual(["autosave", "publish"]);
    const after = await get(id);
    expect([after.text, after.headers.get("etag")]).toEqual([before.text, before.headers.get("etag")]);
    const { json, headers } = await get(id, bob);
    expect(headers.get("etag")).toBe(asBob.headers.get("etag"));
    expect(json).toMatchObject({ hasUnpublishedChanges: false, workingCopy: null });
    expect((await get(id, mod)).json).toMatchObject({ hasUnpublishedChanges: false, workingCopy: null });
    expect((await get(id, trusted)).json).toMatchObject({
      title: "Old",
      hasUnpublishedChanges: true,
      workingCopy: { title: "New", body: "New text" },
    });
    expect(await idsOf("q=%22new+text%22")).toEqual([]);
    await done(trusted, `POST /posts/${id}/submit`, {});
    expect((await get(id)).json).toMatchObject({ title: "New", body: "New text" });
    expect(await idsOf("q=%22new+text%22")).toEqual([id]);
    expect((await get(id)).json.publishedAt).toBe(before.json.publishedAt);
  });

  test("whose later text is in review stays published, also when that is refused or withdrawn", async () => {
    const id = await submit({ body: "Good" });
    await review(id, "approved");
    // There is nothing new to decide about.
    expect(await done(alice, `POST /posts/${id}/submit`, {})).toMatchObject({ status: "published" });
    const [{ id: first }] = (await done(alice, `GET /posts/${id}/revisions`)).items;
    await done(alice, `PATCH /posts/${id}`, { body: "Worse" });
    await done(alice, `POST /posts/${id}/submit`, { note: "" });
    const hidden = { workingCopy: null, submission: null, review: null, hasUnpublishedChanges: false };
    expect((await get(id)).json).toMatchObject({ status: "published", body: "Good", ...hidden });
    expect((await get(id, mod)).json).toMatchObject({
      status: "in_review",
      workingCopy: { body: "Worse" },
      submission: { note: null },
    });
    expect(await idsOf("status=published&limit=1")).toEqual([id]);
    for (const [method, path, body] of [
      ["PATCH", "", { title: "Else" }],
      ["PATCH", "", { tags: ["a"] }],
      ["PUT", "/autosave", { body: "Else" }],
      ["POST", "/submit", {}],
      ["POST", `/revisions/${first}/restore`, undefined],
    ] as const)
      expect(codeOf(await alice.request(`${method} /posts/${id}${path}`, { body }))).toEqual([
        409,
        "post_in_review",
      ]);
    for (const _ of [1, 2])
      expect((await review(id, "rejected", "Too short")).json).toMatchObject({ status: "published" });
    expect((await get(id, alice)).json).toMatchObject({
      status: "published",
      body: "Good",
      workingCopy: { body: "Worse" },
      review: { decision: "rejected", reason: "Too short" },
    });
    expect(codeOf(await alice.request(`POST /posts/${id}/withdraw`))).toEqual([409, "post_not_in_review"]);
    await done(alice, `POST /posts/${id}/submit`, {});
    expect(await done(alice, `POST /posts/${id}/withdraw`)).toMatchObject({ status: "published" });
    expect((await get(id)).json.body).toBe("Good");
  });

  test("is decided about by moderators alone, never by its author, and twice the same is once", async () => {
    const id = await submit();
    expect(codeOf(await review(id, "approved", undefined, alice))).toEqual([403, "forbidden"]);
    expect(codeOf(await review(id, "approved", undefined, bob))).toEqual([404, "not_found"]);
    const text = {
      review: { decision: "approved", revisionId: "rev_01jd0000000000000000000000" },
      title: "Mine",
    };
    expect((await mod.request(`PATCH /posts/${id}`, { body: text })).status).toBe(422);
    expect((await mod.request(`PATCH /posts/${id}`, { body: { title: "Mine" } })).status).toBe(403);
    const own = await write(mod);
    await done(mod, `POST /posts/${own}/submit`, {});
    expect(codeOf(await review(own, "approved"))).toEqual([403, "own_content"]);
    expect((await review(id, "rejected")).status).toBe(204);
    expect(codeOf(await review(id, "approved"))).toEqual([404, "not_found"]);
    const seen = await submit();
    for (const _ of [1, 2]) expect((await review(seen, "approved")).status).toBe(200);
    expect(codeOf(await review(seen, "rejected"))).toEqual([409, "post_not_in_review"]);
    await done(alice, `POST /posts/${seen}/unpublish`, {});
    await done(alice, `POST /posts/${seen}/submit`, {});
    // What was published stays among the texts that were.
    expect(await kindsOf(seen, mod)).toEqual(["publish"]);
    const rows = await server.sql`select action from audit_log where target = ${id}`;
    expect(rows.map(({ action }) => action)).toEqual(["post.rejected"]);
  });

  test("that waits is listed to moderators with all others that do, the oldest first", async () => {
    const [first, gone, last] = [await submit(), await submit(), await submit()];
    await done(alice, `DELETE /posts/${gone}`);
    const waiting = await idsOf("status=in_review", mod);
    expect(waiting.filter((id) => [first, gone, last].includes(id))).toEqual([first, last]);
    await server.sql`update posts set submitted_at = '2030-01-01' where id in ${server.sql([first, last])}`;
    const pages = await itemsOf(mod, "GET /posts?status=in_review&limit=1");
    const again = pages.map(({ id }: { id: string }) => id);
    expect([again.toSorted(), again.slice(-2)]).toEqual([waiting.toSorted(), [first, last]]);
    const filtered = await mod.request("GET /posts?status=in_review&tag=start");
    expect([codeOf(filtered), filtered.json.error.details[0].path]).toEqual([
      [422, "validation_failed"],
      "/tag",
    ]);
    expect(codeOf(await mod.request("GET /posts?status=draft"))).toEqual([403, "forbidden"]);
    expect(await idsOf("status=published")).toEqual(await idsOf(""));
  });

  test("is not published with a text that its moderator has not read", async () => {
    const id = await submit({ body: "Harmless" });
    const { revisionId } = (await get(id, mod)).json.submission;
    await done(alice, `POST /posts/${id}/withdraw`);
    await done(alice, `PATCH /posts/${id}`, { body: "Harmful" });
    await done(alice, `POST /posts/${id}/submit`, {});
    const late = { review: { decision: "approved", revisionId } };
    expect(codeOf(await mod.request(`PATCH /posts/${id}`, { body: late }))).toEqual([409, "post_changed"]);
    expect((await get(id)).status).toBe(404);
  });

  test.each([
    [1, "word ".repeat(200)],
    [2, "word ".repeat(201)],
    [2, "字".repeat(201)],
  ])("takes %i minutes to read, two hundred words or characters each", async (minutes, body) => {
    expect(await done(bob, "POST /posts", { title: "Long", body })).toMatchObject({
      readingMinutes: minutes,
    });
  });

  test("needs a body before it is submitted", async () => {
    const id = await write(alice, { body: " \n" });
    const refused = await alice.request(`POST /posts/${id}/submit`, { body: {} });
    expect(codeOf(refused)).toEqual([422, "validation_failed"]);
    expect(refused.json.error.details).toMatchObject([{ path: "/body" }]);
  });

  test("is taken back by its author, or by a moderator, who says why; it can be published again", async () => {
    const id = await publish({ tags: ["taken"] });
    expect(codeOf(await bob.request(`POST /posts/${id}/unpublish`, { body: {} }))).toEqual([
      403,
      "forbidden",
    ]);
    await done(trusted, `PATCH /posts/${id}`, { body: "Not meant for you" });
    const taken = await mod.request(`POST /posts/${id}/unpublish`, { body: { reason: "Advertising" } });
    expect([taken.status, taken.text]).toEqual([204, ""]);
    expect([(await get(id)).status, (await get(id, mod)).status]).toEqual([404, 404]);
    expect(await idsOf("tag=taken")).toEqual([]);
    expect((await get(id, trusted)).json).toMatchObject({
      status: "draft",
      review: { decision: "unpublished", reason: "Advertising" },
    });
    await server.workOff();
    const { items } = await done(trusted, "GET /notifications");
    expect(items[0]).toMatchObject({
      title: "Your post is not published any more",
      body: "Unpublished: Advertising",
    });
    expect(codeOf(await trusted.request(`POST /posts/${id}/unpublish`, { body: {} }))).toEqual([
      409,
      "post_not_published",
    ]);
    // What a moderator took back is published by a moderator.
    expect(await done(trusted, `POST /posts/${id}/submit`, {})).toMatchObject({ status: "in_review" });
    await review(id, "approved");
    expect(await idsOf("tag=taken")).toEqual([id]);
  });

  test("has a slug that its author's other posts do not have, not even after its deletion", async () => {
    const first = await write(bob, { title: "Same title" });
    const second = await done(bob, "POST /posts", { title: "Same title" });
    expect(second.slug).toBe("same-title-2");
    expect((await done(alice, "POST /posts", { title: "Same title" })).slug).toBe("same-title");
    await done(bob, `DELETE /posts/${first}`);
    const own = await idsOf("mine=true", bob);
    expect([own.includes(first), own.includes(second.id)]).toEqual([false, true]);
    const taken = { title: "Other", slug: "same-title" };
    expect(codeOf(await bob.request("POST /posts", { body: taken }))).toEqual([409, "slug_taken"]);
    expect(codeOf(await bob.request(`PATCH /posts/${second.id}`, { body: { slug: "same-title" } }))).toEqual([
      409,
      "slug_taken",
    ]);
    expect([(await get(first, bob)).status, (await get(first)).status]).toEqual([410, 404]);
  });

  test("and a series have a slug of their own, also if two come at once", async () => {
    const things: [path: string, title: string][] = [
      ["posts", "Rushed post"],
      ["posts/series", "Rushed series"],
    ];
    const acts = [];
    for (const [path, title] of things) {
      const ids = [1, 2].map(async () => (await done(bob, `POST /${path}`, { title: "Slow" })).id);
      for (const id of await Promise.all(ids))
        acts.push(() => bob.request(`PATCH /${path}/${id}`, { body: { slug: "rushed" } }));
      for (const _ of [1, 2]) acts.push(() => bob.request(`POST /${path}`, { body: { title } }));
    }
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${bob.id} for update`,
      acts,
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201, 201, 201, 201, 409, 409]);
  });

  test("is one of five thousand of its author's, and a series one of two hundred", async () => {
    const full = await server.join("full");
    await server.sql`
      insert into posts (owner_id, slug, working_id, tags)
      select ${full.id}, 'of-many-' || n, 'rev_' || n, '{}' from generate_series(1, 4999) n`;
    await server.sql`
      insert into post_series (owner_id, slug, title)
      select ${full.id}, 'of-many-' || n, 'One' from generate_series(1, 199) n`;
    for (const path of ["posts", "posts/series"]) {
      const create = () => full.request(`POST /${path}`, { body: { title: "The last" } });
      const { status, json } = await create();
      expect([status, codeOf(await create())]).toEqual([201, [409, "quota_exceeded"]]);
      await done(full, `DELETE /${path}/${json.id}`);
      expect((await create()).status).toBe(201);
    }
  });

  test("shows a cover of its author's that is ready", { tags: "long" }, async () => {
    const [own, foreign] = [await upload(server, trusted, png()), await upload(server, bob, png())];
    const cover = (coverMediaId: string | null) => ({ title: "Covered", body: "It says", coverMediaId });
    expect(codeOf(await trusted.request("POST /posts", { body: cover(foreign) }))).toEqual([
      404,
      "not_found",
    ]);
    const id = await write(trusted, cover(own));
    expect((await server.anonymous(`GET /media/${own}`)).status).toBe(404);
    await done(trusted, `POST /posts/${id}/submit`, {});
    expect((await server.anonymous(`GET /media/${own}`)).status).toBe(200);
    expect((await fetch((await get(id)).json.cover.url)).status).toBe(200);
    const deleted = await upload(server, trusted, png());
    await done(trusted, `DELETE /media/${deleted}`);
    const [file] = await server.sql<{ id: string }[]>`
      insert into media (owner_id, kind, media_type, filename, status, size, sha256, sent_size, sent_sha256, link_secret)
      select owner_id, 'file', 'text/plain', 'a.txt', status, size, sha256, sent_size, sent_sha256, link_secret
      from media where id = ${own} returning id`;
    const unread = (await trusted.request("POST /media", { body: uploadOf(png()) })).json.id;
    const none = [foreign, deleted, file?.id, unread].map((id) => `![none](media:${id})`);
    const shown = `![A cat](media:${own}) and ${none.join(" ")}`;
    await done(trusted, `PATCH /posts/${id}`, { coverMediaId: null, body: shown });
    const preview = (await done(trusted, `GET /posts/${id}`)).workingCopy.body;
    expect(preview).toBe(shown);
    await done(trusted, `POST /posts/${id}/submit`, {});
    const [src] = /http[^"]+/.exec((await get(id)).json.html) ?? [];
    expect([src, (await fetch(String(src))).status]).toEqual([expect.stringContaining(own), 200]);
    await done(trusted, `POST /posts/${id}/unpublish`, {});
    const { html } = (await get(id, trusted)).json;
    const [signed, bare] = [...html.matchAll(/src="([^"]+)"/g)].map(([, url]) =>
      url.replaceAll("&amp;", "&"),
    );
    expect([(await fetch(signed)).status, (await fetch(bare)).status]).toEqual([200, 404]);
    await done(trusted, `POST /posts/${id}/submit`, {});
    expect(codeOf(await trusted.request(`DELETE /media/${own}`))).toEqual([409, "media_in_use"]);
    await done(trusted, `PATCH /posts/${id}`, { body: "No cat" });
    await done(trusted, `POST /posts/${id}/submit`, {});
    expect((await trusted.request(`DELETE /media/${own}`)).status).toBe(204);
    const last = await upload(server, trusted, png());
    await done(trusted, `PATCH /posts/${id}`, { coverMediaId: last });
    const seen = async () => (await server.anonymous(`GET /media/${last}`)).status;
    expect(await seen()).toBe(200);
    const noPicture = await trusted.request(`PATCH /posts/${id}`, { body: { coverMediaId: file?.id } });
    expect([noPicture.status, noPicture.json.error.details[0].path]).toEqual([422, "/coverMediaId"]);
    await done(trusted, `DELETE /posts/${id}`);
    // Nor is the post one of the hundred things that can show it.
    const uses = await server.sql`select from media_uses where media_id = ${last}`;
    await server.sql`insert into media_uses (media_id, subject_id) values (${last}, ${id})`;
    expect([uses.count, await seen()]).toEqual([0, 404]);
    await server.sql`delete from media_uses where media_id = ${last}`;
    expect((await trusted.request(`DELETE /media/${last}`)).status).toBe(204);
  });

  test("is listed by its votes, of accounts that are not suspended", async () => {
    const [better, worse] = [await publish({ tags: ["voted"] }), await publish({ tags: ["voted"] })];
    const vote = (id: string, who: Person, value: number) =>
      server.sql`insert into votes (target_id, user_id, value) values (${id}, ${who.id}, ${value})`;
    const spammer = await server.join("spammer");
    await vote(better, bob, 1);
    await vote(worse, alice, -1);
    await vote(worse, spammer, 1);
    await vote(worse, mod, 1);
    await server.sql`update users set suspended_at = clock() where id = ${spammer.id}`;
    await server.sql`
      insert into posts (id, owner_id, slug, working_id, public_id, tags, status, published_at)
      select 'pst_z' || n, ${trusted.id}, 'ranked-' || n, 'rev_' || n, 'rev_' || n, '{}', 'published', clock() from generate_series(1000, 1300) n`;
    for (const n of [1298, 1299, 1300]) await vote(`pst_z${n}`, bob, 1);
    // What nobody finds is not counted.
    await server.sql`update posts set public_id = null, status = 'draft' where id = 'pst_z1298'`;
    await server.sql`update posts set deleted_at = clock() where id = 'pst_z1299'`;
    await rankPosts(server.sql);
    const many = await server.sql`delete from posts where id like 'pst_z%' returning id, score`;
    expect([many.length, many.filter(({ score }) => score > 0).map(({ id }) => id)]).toEqual([
      301,
      ["pst_z1300"],
    ]);
    for (const whose of ["", "&author=trusted", "&mine=true"])
      expect(await idsOf(`tag=voted&sort=votes${whose}`, trusted)).toEqual([better, worse]);
    expect(await idsOf("tag=voted")).toEqual([worse, better]);
    expect((await server.anonymous("GET /posts?author=me")).status).toBe(422);
    // Of one moment the order is that of the ids, and no page leaves one out.
    await server.sql`
      update posts set published_at = '2030-01-01', score = 0 where id in ${server.sql([better, worse])}`;
    const last = [better, worse].toSorted().toReversed();
    for (const order of ["newest", "votes"])
      for (const whose of ["", "&author=trusted", "&mine=true"]) {
        const pages = await itemsOf(trusted, `GET /posts?tag=voted&limit=1&sort=${order}${whose}`);
        expect(pages.map(({ id }: { id: string }) => id)).toEqual(last);
      }
  });
});

describe("what is written", () => {
  const autosave = (id: string, body: string, etag?: string) =>
    alice.request(`PUT /posts/${id}/autosave`, {
      body: { body },
      headers: etag === undefined ? {} : { "if-match": etag },
    });

  test("on the last text shares a revision for ten minutes; on another it is refused, and nothing is stored", async () => {
    const [other, id] = [await write(alice), await write(alice)];
    const before = (await get(other, alice)).headers.get("etag");
    const first = (await autosave(id, "One", (await get(id, alice)).headers.get("etag") ?? "")).json;
    const second = await autosave(id, "Two", first.etag);
    expect(second.json).toMatchObject({ workingCopy: { body: "Two", title: "A post" } });
    expect(codeOf(await autosave(id, "Late", first.etag))).toEqual([412, "precondition_failed"]);
    expect(await kindsOf(id, alice)).toEqual(["autosave", "save"]);
    expect((await get(id, alice)).json.body).toBe("Two");
    await server.sql`
      update post_revisions set created_at = created_at - interval '10 minutes' where post_id = ${id}`;
    await autosave(id, "Three", second.json.etag);
    await submit();
    expect(await kindsOf(id, alice)).toEqual(["autosave", "autosave", "save"]);
    await done(alice, `PATCH /posts/${id}`, { body: "Four" });
    expect(await kindsOf(id, alice)).toEqual(["save", "autosave", "autosave", "save"]);
    const { headers, json } = await get(other, alice);
    expect([headers.get("etag"), json.body]).toEqual([before, "It says"]);
  });

  test("without a word on what it was written on has a revision of its own, so that nothing is lost", async () => {
    const id = await write(alice);
    for (const text of ["One", "Two", "Two", "Three"]) await autosave(id, text);
    await autosave(id, "Four", "*");
    const texts = [];
    for (const { id: revision } of await itemsOf(alice, `GET /posts/${id}/revisions?limit=2`))
      texts.push((await done(alice, `GET /posts/${id}/revisions/${revision}`)).body);
    expect(texts).toEqual(["Four", "Three", "Two", "One", "It says"]);
  });

  test("at the same time on the same text is stored once", async () => {
    const id = await write(alice);
    const etag = (await get(id, alice)).headers.get("etag") ?? "";
    const answers = await server.atOnce(
      (sql) => sql`select from posts where id = ${id} for update`,
      ["One", "Two", "Three"].map((text) => () => autosave(id, text, etag)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const stored = answers.find(({ status }) => status === 200)?.json.workingCopy.body;
    expect((await get(id, alice)).json.body).toBe(stored);
  });

  test("of a published post is never what is read, however it is saved", async () => {
    const id = await publish({ body: "Read" });
    await trusted.request(`PUT /posts/${id}/autosave`, { body: { body: "Hidden", title: "Hidden" } });
    const all = [
      await get(id),
      await get(id, bob),
      await get(id, mod),
      await server.anonymous("GET /posts?author=trusted"),
      await mod.request(`GET /posts/${id}/revisions`),
    ];
    for (const { text } of all) expect(text).not.toContain("Hidden");
    expect(await kindsOf(id, mod)).toEqual(["publish"]);
    const hidden = (await done(trusted, `GET /posts/${id}/revisions`)).items[0].id;
    expect((await mod.request(`GET /posts/${id}/revisions/${hidden}`)).status).toBe(404);
    expect(codeOf(await bob.request(`GET /posts/${id}/revisions`))).toEqual([403, "forbidden"]);
  });

  test("before is restored as a text that is being written; what is published stays", async () => {
    const id = await publish({ title: "One", body: "First" });
    const [{ id: first }] = (await done(trusted, `GET /posts/${id}/revisions`)).items;
    await done(trusted, `PATCH /posts/${id}`, { title: "Two", body: "Second" });
    await done(trusted, `POST /posts/${id}/submit`, {});
    const restored = await done(trusted, `POST /posts/${id}/revisions/${first}/restore`);
    expect(restored).toMatchObject({ title: "Two", workingCopy: { title: "One", body: "First" } });
    await done(trusted, `POST /posts/${id}/revisions/${first}/restore`);
    expect(await kindsOf(id, trusted)).toEqual(["restore", "publish", "publish"]);
    // The text that is read, again: nothing is left to publish.
    const tag = async () => (await get(id, trusted)).headers.get("etag");
    const before = await tag();
    await done(trusted, `PATCH /posts/${id}`, { title: "Two", body: "Second" });
    expect(await tag()).not.toBe(before);
    expect((await get(id, trusted)).json).toMatchObject({ hasUnpublishedChanges: false, workingCopy: null });
    // Nor is the same body with another summary the same text.
    const other = await write(trusted);
    expect(await done(trusted, `PATCH /posts/${other}`, { summary: "New" })).toMatchObject({
      summary: "New",
    });
    expect((await trusted.request(`POST /posts/${other}/revisions/${first}/restore`)).status).toBe(404);
    expect((await trusted.request(`GET /posts/${other}/revisions/${first}`)).status).toBe(404);
  });

  test("counts for what its author stores, until it is deleted", async () => {
    const bytes = async () => (await done(bob, "GET /me")).quotas.bytes.used;
    const before = await bytes();
    const id = await write(bob, { body: "a".repeat(1_000) });
    await done(bob, `PATCH /posts/${id}`, { body: "b".repeat(2_000) });
    expect((await bytes()) - before).toBe(1_000 + 2_000 + 2 * 1_000 + 3_000 - 2_000 + 2 * "<p></p>\n".length);
    await done(bob, `DELETE /posts/${id}`);
    expect((await bytes()) - before).toBe(2 * 2_000 + "<p></p>\n".length);
    const usual = server.context.accountBytes;
    const rest = await bytes();
    const other = await write(bob);
    // Two more of its size fit, and nothing else.
    server.context.accountBytes = rest + 3 * ((await bytes()) - rest);
    await write(bob);
    await done(bob, `PATCH /posts/${other}`, { body: "It asks" });
    const more = { title: "One more", body: "It says" };
    for (const route of ["POST /posts", `PATCH /posts/${other}`])
      expect(codeOf(await bob.request(route, { body: more }))).toEqual([409, "quota_exceeded"]);
    server.context.accountBytes = usual;
  });

  test("last, and what everybody read last, are what is kept of a deleted post", async () => {
    const id = await publish({ body: "Read" });
    for (const body of ["Written", "Written last"]) await done(trusted, `PATCH /posts/${id}`, { body });
    await done(trusted, `DELETE /posts/${id}`);
    const kept = await server.sql`select body from post_revisions where post_id = ${id} order by number`;
    expect(kept.map(({ body }) => body)).toEqual(["Read", "Written last"]);
  });

  test("is kept a hundred times, and each text that was published is", async () => {
    const id = await publish({ body: "Published" });
    await server.sql`
      insert into post_revisions (post_id, number, kind, author_id, title, body, words)
      select ${id}, n, 'save', ${trusted.id}, 'A post', 'Text ' || n, 2 from generate_series(2, 120) n`;
    await done(trusted, `PATCH /posts/${id}`, { body: "The last" });
    const rows = await server.sql<{ number: number }[]>`
      select number from post_revisions where post_id = ${id} order by number`;
    expect(rows.map(({ number }) => number)).toEqual([1, ...Array.from({ length: 100 }, (_, n) => n + 22)]);
  });

  test("is withdrawn or approved, never both", async () => {
    const id = await submit();
    const answers = await server.atOnce(
      (sql) => sql`select from posts where id = ${id} for update`,
      [
        () => alice.request(`POST /posts/${id}/withdraw`),
        () => review(id, "approved"),
        () => review(id, "rejected"),
      ],
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    const { status, publicId } = (
      await server.sql`select status, public_id as "publicId" from posts where id = ${id}`
    )[0] as { status: string; publicId: string | null };
    expect(status === "published").toBe(publicId !== null);
  });
});

describe("a series", () => {
  const titled = async (title: string): Promise<string> =>
    (await done(trusted, "POST /posts/series", { title })).id;
  const partsOf = async (id: string, who: Pick<Person, "request"> = server.nobody): Promise<string[]> =>
    (await who.request(`GET /posts/series/${id}`)).json.posts.map(({ id: post }: { id: string }) => post);

  test("shows others its published posts in order, and its owner all of them", async () => {
    const id = await titled("A course");
    const [one, draft, two] = [
      await publish({ seriesId: id }),
      await write(trusted, { seriesId: id }),
      await publish({ seriesId: id }),
    ];
    expect([await partsOf(id), await partsOf(id, trusted)]).toEqual([
      [one, two],
      [one, draft, two],
    ]);
    expect((await server.anonymous(`GET /posts/series/${id}`)).json.postCount).toBe(2);
    expect([(await get(two)).json.series.position, (await get(two, trusted)).json.series.position]).toEqual([
      2, 3,
    ]);
    const order = { body: { postIds: [two, draft, one] } };
    const [moved, same] = [
      await trusted.request(`POST /posts/series/${id}/reorder`, order),
      await trusted.request(`POST /posts/series/${id}/reorder`, order),
    ];
    expect([same.status, same.headers.get("etag")]).toEqual([200, moved.headers.get("etag")]);
    expect(await partsOf(id)).toEqual([two, one]);
    // It is an update to others if they see it.
    await server.sql`update post_series set updated_at = '2020-01-01' where id = ${id}`;
    const orderedAt = async (postIds: string[]) =>
      (await done(trusted, `POST /posts/series/${id}/reorder`, { postIds })).updatedAt.slice(0, 4);
    expect(await orderedAt([draft, two, one])).toBe("2020");
    expect(await orderedAt([one, draft, two])).not.toBe("2020");
    await done(trusted, `POST /posts/series/${id}/reorder`, order.body);
    for (const postIds of [
      [two, one],
      [two, draft, one, one],
      [two, draft, "pst_01jd0000000000000000000000"],
    ])
      expect(
        codeOf(await trusted.request(`POST /posts/series/${id}/reorder`, { body: { postIds } })),
      ).toEqual([422, "order_mismatch"]);
    expect(await idsOf(`series=${id}`)).toEqual([two, one]);
    for (const [filter, found] of [
      ["author=trusted", [two, one]],
      ["author=alice", []],
      ["mine=true", [two, draft, one]],
      ["mine=true&status=draft", [draft]],
      ["mine=true&author=alice", []],
    ] as const)
      expect([filter, await idsOf(`series=${id}&${filter}`, trusted)]).toEqual([filter, found]);
    const before = await bob.request(`GET /posts/series/${id}`);
    await write(trusted, { seriesId: id });
    const after = await bob.request(`GET /posts/series/${id}`);
    expect([after.text, after.headers.get("etag")]).toEqual([before.text, before.headers.get("etag")]);
    expect(codeOf(await alice.request("POST /posts", { body: { title: "Foreign", seriesId: id } }))).toEqual([
      403,
      "forbidden",
    ]);
  });

  test("gives its posts to another, and leaves them when it is deleted", async () => {
    const [from, to] = [await titled("From"), await titled("To")];
    for (const [route, body] of [
      ["POST /posts/series", { title: "Else", slug: "from" }],
      [`PATCH /posts/series/${to}`, { slug: "from" }],
    ] as const)
      expect(codeOf(await trusted.request(route, { body }))).toEqual([409, "slug_taken"]);
    const kept = await publish({ seriesId: await titled("Kept") });
    const post = await publish({ seriesId: from });
    await done(trusted, `PATCH /posts/${post}`, { seriesId: to });
    expect([await partsOf(from, trusted), await partsOf(to)]).toEqual([[], [post]]);
    expect((await server.anonymous(`GET /posts/series/${from}`)).status).toBe(404);
    await done(trusted, `PATCH /posts/${post}`, { seriesId: from });
    expect([await partsOf(from), await partsOf(to, trusted)]).toEqual([[post], []]);
    await done(mod, `DELETE /posts/series/${from}`);
    expect([(await get(kept)).json.series.position, await partsOf(to, trusted)]).toEqual([1, []]);
    expect(await idsOf(`series=${from}`)).toEqual([]);
    // Nor is it read between its deletion and an answer.
    const looking = lookingOf(null, server.context);
    expect(await selectSeries(server.sql, { id: from, ...looking })).toBeNull();
    expect((await server.anonymous(`GET /posts/series/${from}`)).status).toBe(404);
    expect((await get(post)).json.series).toBe(null);
    expect((await trusted.request(`PATCH /posts/${post}`, { body: { seriesId: from } })).status).toBe(404);
    const again = await done(trusted, "POST /posts/series", { title: "From" });
    await done(trusted, `DELETE /posts/series/${again.id}`);
    const own = (await itemsOf(trusted, "GET /posts/series?limit=2")).map(({ id }: { id: string }) => id);
    expect([own.includes(from), own.includes(again.id), own.includes(to)]).toEqual([false, false, true]);
    expect(own).toEqual(own.toSorted().toReversed());
    // What others call theirs is theirs.
    await done(bob, "POST /posts/series", { title: "From" });
    const renamed = await done(trusted, `PATCH /posts/series/${to}`, { slug: "from" });
    expect([again.slug, renamed.slug]).toEqual(["from", "from"]);
  });

  test("takes posts of its owner alone, two hundred at most, also when two come at once", async () => {
    const id = await titled("Full");
    await server.sql`
      with made as (
        insert into posts (owner_id, slug, working_id, tags, series_id)
        select ${trusted.id}, 'part-' || n, 'rev_' || n, '{}', ${id} from generate_series(1, 199) n returning id
      )
      update post_series set post_ids = array(select id from made) where id = ${id}`;
    const foreign = { title: "Foreign", seriesId: id };
    expect(codeOf(await alice.request("POST /posts", { body: foreign }))).toEqual([404, "not_found"]);
    const [one, two] = [await write(trusted), await write(trusted)];
    const answers = await server.atOnce(
      (sql) => sql`select from post_series where id = ${id} for update`,
      [one, two].map((post) => () => trusted.request(`PATCH /posts/${post}`, { body: { seriesId: id } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("and a post never catch each other's addresses", async () => {
    const id = await titled("Paths");
    expect((await trusted.request("GET /posts/series")).json.items.length).toBeGreaterThan(0);
    expect((await trusted.request("PATCH /posts/series", { body: {} })).status).toBe(405);
    expect((await trusted.request("GET /posts/series/revisions")).status).toBe(404);
    expect((await trusted.request(`GET /posts/${id}`)).status).toBe(404);
    expect((await trusted.request(`GET /posts/series/${await write(trusted)}`)).status).toBe(404);
  });
});

test("a revision takes an autosave for less than ten minutes", async () => {
  const id = await write(bob);
  const autosave = async (body: string, etag: string): Promise<{ etag: string; savedAt: string }> =>
    (await bob.request(`PUT /posts/${id}/autosave`, { body: { body }, headers: { "if-match": etag } })).json;
  const first = await autosave("One", "*");
  const after = (ms: number) => new Date(Date.parse(first.savedAt) + ms).toISOString();
  await server.setClock(after(600_000 - 1));
  const second = await autosave("Two", first.etag);
  await server.setClock(after(600_000));
  await autosave("Three", second.etag);
  expect(await kindsOf(id, bob)).toEqual(["autosave", "autosave", "save"]);
});
