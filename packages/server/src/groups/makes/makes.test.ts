import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload, uploadOf, wave } from "../../../test/media.ts";
import { codeOf, pagesOf } from "../../../test/requests.ts";
import { selectStorage } from "../../kernel/changes/account-bytes.ts";
import { siteOf } from "../../kernel/media/looking.ts";
import { rankMakes } from "./rank.sql.ts";
import { selectMake } from "./shown.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  [alice, bob] = [await server.join("alice"), await server.join("bob")];
});
afterAll(() => server.stop());

const makeOf = (who: Person, slug: string, body: object = {}): Promise<any> =>
  done(who, "POST /makes", { title: "A bot", slug, body: "It greets", publish: true, ...body });
const slugsOf = async (query: string, who: Pick<Person, "request"> = server.nobody): Promise<string[]> =>
  (await who.request(`GET /makes?${query}`)).json.items.map(({ slug }: { slug: string }) => slug);

describe("a make", () => {
  test("is a draft that only its maker sees, until it is published with something to show", async () => {
    const { slug, status, publishedAt, html } = await done(alice, "POST /makes", {
      title: "My first Röbot!",
    });
    expect([slug, status, publishedAt, html]).toEqual(["my-first-robot", "draft", null, ""]);
    expect(codeOf(await bob.request(`GET /makes/${slug}`))).toEqual([404, "not_found"]);
    const publish = () => alice.request(`PATCH /makes/${slug}`, { body: { status: "published" } });
    expect(codeOf(await publish())).toEqual([422, "validation_failed"]);
    await done(alice, `PATCH /makes/${slug}`, { body: "It **greets**" });
    const { json } = await publish();
    expect([json.status, json.html]).toEqual(["published", "<p>It <strong>greets</strong></p>\n"]);
    expect((await bob.request(`GET /makes/${slug}`)).json).toMatchObject({
      viewer: { isMaker: false, starred: false, canEdit: false },
      maker: { handle: "alice" },
    });
    const again = await alice.request("POST /makes", { body: { title: "My first robot", publish: true } });
    expect(codeOf(again)).toEqual([422, "validation_failed"]);
  });

  test("leaves a redirect at its former slug, which no other make ever gets", async () => {
    await makeOf(alice, "before");
    await done(alice, "PATCH /makes/before", { slug: "after" });
    const moved = await server.anonymous("GET /makes/before");
    expect([moved.status, moved.headers.get("location")]).toEqual([301, `${server.url}/api/v1/makes/after`]);
    const taken = async (who: Person, slug: string) =>
      codeOf(await who.request("POST /makes", { body: { title: "A bot", slug } }));
    expect(await taken(bob, "before")).toEqual([409, "slug_taken"]);
    expect(await taken(alice, "after")).toEqual([409, "slug_taken"]);
    await makeOf(bob, "of-bob");
    const renamed = await bob.request("PATCH /makes/of-bob", { body: { slug: "before" } });
    expect(codeOf(renamed)).toEqual([409, "slug_taken"]);
    await done(alice, "PATCH /makes/after", { slug: "before" });
    await alice.request("DELETE /makes/before");
    expect([await taken(bob, "before"), await taken(bob, "after")]).toEqual([
      [409, "slug_taken"],
      [409, "slug_taken"],
    ]);
    expect(codeOf(await server.anonymous("GET /makes/before"))).toEqual([410, "gone"]);
  });

  test("without a slug gets the first free one of its title, also when several are made at once", async () => {
    const made = await Promise.all(
      [alice, bob, alice, bob].map((who) => who.request("POST /makes", { body: { title: "Same title" } })),
    );
    expect(made.map(({ json }) => json.slug).sort()).toEqual([
      "same-title",
      "same-title-2",
      "same-title-3",
      "same-title-4",
    ]);
    const next = await done(alice, "POST /makes", { title: "Same title" });
    expect(next.slug).toBe("same-title-5");
  });

  test.each(["gallery", "inbox", "family-tree"])(
    "cannot be called %s, which is an address of its own",
    async (slug) => {
      const { status, json } = await alice.request("POST /makes", { body: { title: "A bot", slug } });
      expect([status, json.error.details[0].path]).toEqual([422, "/slug"]);
      expect((await alice.request(`PATCH /makes/${slug}`, { body: {} })).status).toBe(405);
    },
  );

  test.each(["Gallery", "Inbox", "Family tree"])(
    "with the title %s gets another slug than an address of ours",
    async (title) => {
      const { slug } = await done(alice, "POST /makes", { title });
      expect(slug).toBe(`${title.toLowerCase().replace(" ", "-")}-2`);
    },
  );

  test("leaves a trace when it is hidden or shown, and of whatever staff change, and none of other edits", async () => {
    const { id } = await makeOf(alice, "traced");
    const admin = await server.join("admin", { role: "admin" });
    await done(alice, "PATCH /makes/traced", { title: "Another" });
    await done(alice, "PATCH /makes/traced", { visibility: "unlisted" });
    await done(alice, "PATCH /makes/traced", { visibility: "unlisted" });
    expect((await done(admin, "GET /makes/traced")).viewer).toMatchObject({ isMaker: false, canEdit: true });
    await done(admin, "PATCH /makes/traced", { visibility: "public", tags: ["fair"], title: "Another" });
    await done(admin, "PATCH /makes/traced", { tags: ["fair"] });
    const traces = await server.sql`
      select actor_id as actor, action, data from audit_log where target = ${id} order by id`;
    const [from, to] = [{ visibility: "public" }, { visibility: "unlisted" }];
    expect(traces).toEqual([
      { actor: alice.id, action: "make.visibility", data: { from, to } },
      { actor: admin.id, action: "make.moderate", data: { changed: ["tags", "visibility"] } },
    ]);
  });

  test("is one of a thousand of its maker at most, of which deleted ones are none", async () => {
    const carol = await server.join("carol");
    await server.sql`
      insert into makes (owner_id, slug, title, body, tags, visibility, document, deleted_at)
      select ${carol.id}, 'thousand-' || n, 'A bot', '', '{}', 'public', '', case n when 1000 then clock() end
      from generate_series(1, 1000) n`;
    const next = () => carol.request("POST /makes", { body: { title: "A bot" } });
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${carol.id} for update`,
      [next, next],
    );
    expect(answers.map(codeOf).sort()).toEqual([
      [201, undefined],
      [409, "quota_exceeded"],
    ]);
  });

  test("that is edited against an old revision is refused, also after a change of its parts", async () => {
    await makeOf(alice, "revised");
    const etag = (await alice.request("GET /makes/revised")).headers.get("etag") ?? "";
    await done(alice, "POST /makes/revised/parts", { name: "Wheel" });
    const edit = (ifMatch: string) =>
      alice.request("PATCH /makes/revised", { body: { title: "Another" }, headers: { "if-match": ifMatch } });
    expect(codeOf(await edit(etag))).toEqual([412, "precondition_failed"]);
    const now = (await alice.request("GET /makes/revised")).headers.get("etag") ?? "";
    const { status, headers } = await edit(now);
    expect(status).toBe(200);
    expect(headers.get("etag")).toBe((await alice.request("GET /makes/revised")).headers.get("etag"));
  });
});

test("a make that is deleted while it is read is gone", async () => {
  const { id } = await makeOf(alice, "read-late");
  await alice.request("DELETE /makes/read-late");
  const reading = selectMake(server.sql, { id, caller: null, ...siteOf(server.context) });
  await expect(reading).rejects.toMatchObject({ code: "gone" });
});

test("the text of a make that an older release wrote is rendered by the worker", async () => {
  const { id } = await makeOf(alice, "rendered", { body: "It *greets*" });
  await server.sql`update makes set body_html = null, body_renderer = 0 where id = ${id}`;
  await server.workOff();
  expect((await done(alice, "GET /makes/rendered")).html).toBe("<p>It <em>greets</em></p>\n");
});

describe("the list of makes", () => {
  test("has filters for words, maker, tag, remixes and links, and the maker's own drafts", async () => {
    await publishFiles(bob, "used", { "PROMPT.md": "Hello" });
    await makeOf(bob, "listed-1", {
      title: "Zebra printer",
      tags: ["zoo"],
      prompts: [{ prompt: "bob/used" }],
    });
    await makeOf(bob, "listed-2", { title: "Lion", body: "It roars at a zebra", visibility: "unlisted" });
    await makeOf(bob, "listed-3", { title: "Zebra", publish: false, tags: ["zoo"] });
    const { slug } = await done(alice, "POST /makes/listed-1/remix", { title: "My zebra" });
    await done(alice, `PATCH /makes/${slug}`, { status: "published" });
    expect(await slugsOf("q=zebra&sort=newest")).toEqual(["my-zebra", "listed-1"]);
    expect(await slugsOf("tag=zoo&maker=bob")).toEqual(["listed-1"]);
    expect(await slugsOf("remixOf=listed-1")).toEqual(["my-zebra"]);
    expect(await slugsOf("prompt=bob/used")).toEqual(["listed-1"]);
    expect(await slugsOf("mine=true&q=zebra", bob)).toEqual(["listed-3", "listed-2", "listed-1"]);
    expect(await slugsOf("mine=true&status=draft", bob)).toContain("listed-3");
    await bob.request("DELETE /makes/listed-3");
    expect(await slugsOf("mine=true&q=zebra", bob)).toEqual(["listed-2", "listed-1"]);
    expect(await slugsOf("mine=true&maker=alice", bob)).toEqual([]);
    await done(bob, "PATCH /makes/listed-1", { status: "draft" });
    expect(await slugsOf("remixOf=listed-1")).toEqual([]);
    await done(bob, "PATCH /makes/listed-1", { status: "published" });
    expect(codeOf(await server.anonymous("GET /makes?mine=true"))).toEqual([401, "unauthenticated"]);
    for (const [query, path] of [
      ["status=draft", "/status"],
      ["maker=me", "/maker"],
    ] as const) {
      const { status, json } = await bob.request(`GET /makes?${query}`);
      expect([query, status, json.error.details[0].path]).toEqual([query, 422, path]);
    }
  });

  test("trends by stars and remixes of others in the last two weeks, and pages through equal figures", {
    tags: "long",
  }, async () => {
    for (const slug of ["trend-1", "trend-2", "trend-3"]) await makeOf(alice, slug, { tags: ["trend"] });
    await done(bob, "POST /makes/trend-2/star");
    await done(alice, "POST /makes/trend-3/star");
    const remix = async (who: Person, of: string, fields: object = {}) => {
      const { slug } = await done(who, `POST /makes/${of}/remix`, {});
      await done(who, `PATCH /makes/${slug}`, { status: "published", tags: [], ...fields });
      return slug as string;
    };
    const age = (slug: string, by: string) =>
      server.sql`update makes set published_at = clock() - ${by}::interval where slug = ${slug}`;
    await age(await remix(bob, "trend-3"), "13 days 23 hours");
    await remix(bob, "trend-3");
    // Nothing of these counts: what is weeks old or not public, and what its maker did, or who was suspended.
    const [dave, spammer] = [await server.join("dave"), await server.join("spammer")];
    for (const who of [alice, bob, dave, spammer]) await done(who, "POST /makes/trend-1/star");
    await server.sql`update make_stars set starred_at = clock() - interval '15 days' where user_id in (${bob.id}, ${dave.id})
      and make_id = (select id from makes where slug = 'trend-1')`;
    await age(await remix(bob, "trend-1"), "14 days 1 hour");
    for (const who of [alice, spammer]) await remix(who, "trend-1");
    await server.sql`update users set suspended_at = clock() where id = ${spammer.id}`;
    await age("trend-2", "30 hours");
    await remix(dave, "trend-1", { visibility: "unlisted" });
    await done(dave, `PATCH /makes/${await remix(dave, "trend-1")}`, { status: "draft" });
    await dave.request(`DELETE /makes/${await remix(dave, "trend-1")}`);
    await rankMakes(server.sql);
    const figures = await server.sql`
      select hourly_stars as stars, round(trending * (extract(epoch from clock() - published_at)::float8 / 3600 + 2) ^ 1.5) as points
      from makes where slug like 'trend-_' order by slug`;
    expect(figures).toEqual([
      { stars: 2, points: 0 },
      { stars: 1, points: 3 },
      { stars: 0, points: 5 },
    ]);
    expect(await slugsOf("tag=trend&sort=trending")).toEqual(["trend-3", "trend-2", "trend-1"]);
    expect(await slugsOf("tag=trend&sort=stars")).toEqual(["trend-1", "trend-2", "trend-3"]);
    expect(await slugsOf("mine=true&tag=trend&sort=stars", alice)).toEqual(["trend-1", "trend-2", "trend-3"]);
    expect([await slugsOf("tag=trend"), await slugsOf("mine=true&tag=trend", alice)]).toEqual([
      ["trend-3", "trend-2", "trend-1"],
      ["trend-3", "trend-1", "trend-2"],
    ]);
    const pages = await pagesOf(server.nobody, "GET /makes?sort=trending&limit=2");
    const all = pages.flatMap(({ json }) => json.items.map(({ id }: { id: string }) => id));
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("what a make has", () => {
  test("files are downloaded from an address that works for five minutes, counted, and replaced in their place", async () => {
    await makeOf(alice, "filed");
    const { json: file, status } = await alice.request("POST /makes/filed/files", {
      body: uploadOf("print(1)", "bot.py", { label: "The bot" }),
    });
    expect([status, file.label, file.filename, file.size]).toEqual([201, "The bot", "bot.py", 8]);
    const at = `/makes/filed/files/${file.id}`;
    await server.workOff();
    const { status: moved, headers } = await server.anonymous(`GET ${at}/download`);
    const [now] = await server.sql`select extract(epoch from clock())::float8 as seconds`;
    const location = headers.get("location") ?? "";
    expect([moved, headers.get("cache-control")]).toEqual([302, "no-store"]);
    const expires = Number(new URL(location).searchParams.get("expires"));
    expect(expires - now?.["seconds"]).toBeGreaterThan(200);
    expect(expires - now?.["seconds"]).toBeLessThanOrEqual(300);
    const answer = await fetch(location);
    expect([await answer.text(), answer.headers.get("content-disposition")]).toEqual([
      "print(1)",
      "attachment; filename*=UTF-8''bot.py",
    ]);
    // Its address without a signature is nobody's: a download counts.
    expect((await fetch(location.split("?")[0] ?? "")).status).toBe(404);
    await server.anonymous(`HEAD ${at}/download`);
    await alice.request(`GET ${at}/download`);
    await server.context.activity.flush();
    const mediaId = await upload(server, alice, "print(2)", { purpose: "file" });
    const { downloads, size, sha256 } = await done(alice, `PATCH ${at}`, { mediaId });
    expect([downloads, size, sha256 === file.sha256]).toEqual([1, 8, false]);
    expect((await done(alice, "GET /makes/filed")).counts.downloads).toBe(1);
    await done(alice, "PATCH /makes/filed", { status: "draft" });
    expect((await server.anonymous(`GET ${at}/download`)).status).toBe(404);
  });

  test("files that come at once count together for what their account may store", async () => {
    await makeOf(alice, "crowded");
    const usual = server.context.accountBytes;
    server.context.accountBytes = (await selectStorage(server.sql, alice.id)).stored + 10;
    const add = () => alice.request("POST /makes/crowded/files", { body: uploadOf("print(1)") });
    const answers = await server.atOnce(
      (sql) => sql`select from makes where slug = 'crowded' for update`,
      [add, add],
    );
    server.context.accountBytes = usual;
    expect(answers.map(codeOf).sort()).toEqual([
      [201, undefined],
      [409, "quota_exceeded"],
    ]);
  });

  test("a stranger's upload is refused and leaves nothing, and so does a form without a file", async () => {
    await makeOf(alice, "guarded");
    const files = async () => Number((await server.sql`select count(*) from stored_files`)[0]?.["count"]);
    const before = await files();
    const send = (who: Person, path: string, body: FormData) =>
      who.request(`POST /makes/guarded/${path}`, { body });
    expect(codeOf(await send(bob, "files", uploadOf("print(1)")))).toEqual([403, "forbidden"]);
    expect(codeOf(await send(bob, "media", uploadOf(png())))).toEqual([403, "forbidden"]);
    expect(codeOf(await send(alice, "files", new FormData()))).toEqual([422, "validation_failed"]);
    expect(codeOf(await send(alice, "media", uploadOf("just text")))).toEqual([
      415,
      "unsupported_media_type",
    ]);
    await makeOf(alice, "ended");
    await alice.request("DELETE /makes/ended");
    const late = await alice.request("POST /makes/ended/files", { body: uploadOf("print(1)") });
    expect(codeOf(late)).toEqual([410, "gone"]);
    expect(await files()).toBe(before);
    const sound = await send(alice, "media", uploadOf(wave()));
    expect([sound.status, sound.json.error.details]).toMatchObject([422, [{ path: "/file" }]]);
  });

  test("a form is refused whose file was not stored, since its make was not there until then", async () => {
    await makeOf(alice, "come-back");
    await alice.request("DELETE /makes/come-back");
    const send = (path: string, body: FormData) => () =>
      alice.request(`POST /makes/come-back/${path}`, { body });
    const answers = await server.atOnce(
      (sql) => sql`update makes set deleted_at = null where slug = 'come-back'`,
      [send("files", uploadOf("print(1)")), send("media", uploadOf(png()))],
    );
    expect(answers.map(({ status, json }) => [status, json.error.message])).toEqual([
      [404, "Not found. It does not exist, or you do not have access to it."],
      [404, "Not found. It does not exist, or you do not have access to it."],
    ]);
  });

  test("the gallery shows media to others once they are ready, and its first item is the cover until another is", async () => {
    await makeOf(alice, "shown");
    const first = (
      await alice.request("POST /makes/shown/media", { body: uploadOf(png(), "a.png", { caption: "One" }) })
    ).json;
    expect(first).toMatchObject({ type: "image", cover: true, position: 1, media: { status: "processing" } });
    const seen = async () => (await server.anonymous("GET /makes/shown")).json;
    expect([(await seen()).media, (await seen()).cover]).toEqual([[], null]);
    await server.workOff();
    expect((await seen()).cover).toMatchObject({ id: first.id, media: { status: "ready" } });
    expect((await fetch((await seen()).cover.media.url)).status).toBe(200);
    const second = await done(alice, "POST /makes/shown/media", {
      embedUrl: "https://youtu.be/dQw4w9WgXcQ?si=x&t=9",
    });
    expect(second.embed).toEqual({
      provider: "youtube",
      url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
      embedUrl: "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
    });
    expect(second.cover).toBe(false);
    await done(alice, `PATCH /makes/shown/media/${second.id}`, { cover: true, alt: "A song" });
    expect((await seen()).media.map(({ cover }: { cover: boolean }) => cover)).toEqual([false, true]);
    await done(alice, "POST /makes/shown/media/reorder", { ids: [second.id, first.id] });
    expect((await seen()).media.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    await alice.request(`DELETE /makes/shown/media/${second.id}`);
    expect((await seen()).media).toMatchObject([{ id: first.id, cover: true, position: 1 }]);
  });

  test("what cannot be shown of a gallery is seen by its maker alone, who can remove and reorder it, and is nothing to publish", {
    tags: "long",
  }, async () => {
    await done(alice, "POST /makes", { title: "Broken", slug: "broken" });
    const broken = (
      await alice.request("POST /makes/broken/media", { body: uploadOf(png().subarray(0, 40)) })
    ).json;
    await server.workOff();
    const publish = () => alice.request("PATCH /makes/broken", { body: { status: "published" } });
    expect(codeOf(await publish())).toEqual([422, "validation_failed"]);
    const good = (await alice.request("POST /makes/broken/media", { body: uploadOf(png()) })).json;
    await server.workOff();
    expect((await publish()).status).toBe(200);
    // As the worker finds of a video without a picture.
    await server.sql`update media set kind = 'audio', status = 'ready', reject_reason = null where id = ${broken.media.id}`;
    const own = await done(alice, "GET /makes/broken");
    expect(own.media).toMatchObject([
      { id: broken.id, type: "video", media: { kind: "audio" } },
      { id: good.id },
    ]);
    expect((await server.anonymous("GET /makes/broken")).json.media).toMatchObject([{ id: good.id }]);
    await done(alice, "POST /makes/broken/media/reorder", { ids: [good.id, broken.id] });
    await alice.request(`DELETE /makes/broken/media/${good.id}`);
    await done(alice, "PATCH /makes/broken", { status: "draft" });
    expect(codeOf(await publish())).toEqual([422, "validation_failed"]);
    await done(alice, "POST /makes/broken/media", { embedUrl: "https://vimeo.com/76979871" });
    expect((await publish()).status).toBe(200);
    expect((await alice.request(`DELETE /makes/broken/media/${broken.id}`)).status).toBe(204);
  });

  test("only the maker's own media are attached, of the right kind, and they stay while they are shown", {
    tags: "long",
  }, async () => {
    await makeOf(alice, "attached");
    const [own, file, foreign] = [
      await upload(server, alice, png()),
      await upload(server, alice, "text", { purpose: "file" }),
      await upload(server, bob, png()),
    ];
    const attach = (path: string, mediaId: string) =>
      alice.request(`POST /makes/attached/${path}`, { body: { mediaId } });
    expect(codeOf(await attach("media", foreign))).toEqual([404, "not_found"]);
    for (const [path, mediaId] of [
      ["media", file],
      ["files", own],
    ] as const) {
      const { status, json } = await attach(path, mediaId);
      expect([status, json.error.details[0].path]).toEqual([422, "/mediaId"]);
    }
    const { id } = (await attach("media", own)).json;
    expect(codeOf(await alice.request(`DELETE /media/${own}`))).toEqual([409, "media_in_use"]);
    expect((await server.anonymous(`GET /media/${own}`)).status).toBe(200);
    const seenBy = async () => (await server.anonymous(`GET /media/${own}`)).status;
    await server.sql`update makes set deleted_at = clock() where slug = 'attached'`;
    expect(await seenBy()).toBe(404);
    await server.sql`update makes set deleted_at = null where slug = 'attached'`;
    await done(alice, "PATCH /makes/attached", { status: "draft" });
    expect(await seenBy()).toBe(404);
    await alice.request(`DELETE /makes/attached/media/${id}`);
    await attach("files", file);
    await makeOf(alice, "kept");
    await attach("media", own);
    await done(alice, "POST /makes/kept/media", { mediaId: own });
    await alice.request("DELETE /makes/attached");
    expect((await alice.request(`DELETE /media/${file}`)).status).toBe(204);
    const uses = await server.sql`select from media_uses where media_id in (${own}, ${file})`;
    expect([uses.count, codeOf(await alice.request(`DELETE /media/${own}`))]).toEqual([
      1,
      [409, "media_in_use"],
    ]);
  });

  test("parts keep prices as they were written, and are put in another order as an exact set", async () => {
    await makeOf(alice, "parted");
    const add = (body: object) =>
      alice.request("POST /makes/parted/parts", { body: { name: "Wheel", ...body } });
    const { json: wheel } = await add({
      quantity: 0.1,
      unit: "m",
      price: { amount: "1.50", currency: "EUR" },
    });
    expect(wheel).toMatchObject({
      quantity: 0.1,
      price: { amount: "1.50", currency: "EUR" },
      optional: false,
    });
    for (const price of [
      1.5,
      { amount: "1e309", currency: "EUR" },
      { amount: "-1", currency: "EUR" },
      { amount: "1", currency: "eur" },
    ])
      expect(codeOf(await add({ price }))).toEqual([422, "validation_failed"]);
    for (const quantity of [0, -1, 1e10])
      expect(codeOf(await add({ quantity }))).toEqual([422, "validation_failed"]);
    const { json: axle } = await add({ name: "Axle" });
    const reorder = (ids: string[]) => alice.request("POST /makes/parted/parts/reorder", { body: { ids } });
    expect(codeOf(await reorder([axle.id]))).toEqual([422, "order_mismatch"]);
    expect(codeOf(await reorder([axle.id, axle.id]))).toEqual([422, "order_mismatch"]);
    expect((await reorder([axle.id, wheel.id])).json.items).toMatchObject([
      { id: axle.id, position: 1 },
      { id: wheel.id, position: 2 },
    ]);
    const edited = await done(alice, `PATCH /makes/parted/parts/${wheel.id}`, { price: null, note: "Any" });
    expect(edited).toMatchObject({ price: null, note: "Any", quantity: 0.1 });
    await alice.request(`DELETE /makes/parted/parts/${axle.id}`);
    expect((await done(alice, "GET /makes/parted")).parts).toMatchObject([{ id: wheel.id, position: 1 }]);
  });

  test("has bounds: 200 parts, 30 items in its gallery, 20 files", async () => {
    const { id: makeId } = await makeOf(alice, "bounded");
    const mediaId = await upload(server, alice, "text", { purpose: "file" });
    const embedUrl = "https://vimeo.com/76979871";
    const { sql } = server;
    await sql`
      insert into make_parts (make_id, name, quantity, optional, position)
      select ${makeId}, 'Wheel', 1, false, n from generate_series(1, 199) n`;
    await sql`
      insert into gallery_items (make_id, embed, position) select ${makeId}, '{}', n from generate_series(1, 29) n`;
    await sql`
      insert into make_files (make_id, media_id, label, position)
      select ${makeId}, ${mediaId}, 'File', n from generate_series(1, 19) n`;
    for (const [path, body] of [
      ["parts", { name: "Wheel" }],
      ["media", { embedUrl }],
      ["files", { mediaId }],
    ] as const) {
      const add = async () => codeOf(await alice.request(`POST /makes/bounded/${path}`, { body }));
      expect([path, await add(), await add()]).toEqual([path, [201, undefined], [409, "quota_exceeded"]]);
    }
  });

  test("a cover that is removed is followed by the item behind it, else by the one before it", async () => {
    await makeOf(alice, "covered");
    const ids: string[] = [];
    for (const nth of [1, 2, 3])
      ids.push(
        (await done(alice, "POST /makes/covered/media", { embedUrl: `https://vimeo.com/7${nth}` })).id,
      );
    const [first, second, third] = ids;
    await done(alice, `PATCH /makes/covered/media/${second}`, { cover: true });
    const cover = async () => (await done(alice, "GET /makes/covered")).cover?.id;
    await done(alice, `PATCH /makes/covered/media/${first}`, { caption: "No cover" });
    expect(await cover()).toBe(second);
    for (const [removed, next] of [
      [second, third],
      [third, first],
      [first, undefined],
    ]) {
      await alice.request(`DELETE /makes/covered/media/${removed}`);
      expect(await cover()).toBe(next);
    }
  });

  test("a file without a label has as much of its name as a label may be long", async () => {
    await makeOf(alice, "named");
    const { json } = await alice.request("POST /makes/named/files", {
      body: uploadOf("print(1)", `${"a".repeat(150)}.py`),
    });
    expect(json.label).toBe("a".repeat(120));
  });

  test("a file is downloaded once it is ready, and of its own make", async () => {
    await makeOf(alice, "unread");
    await makeOf(alice, "elsewhere");
    const { json } = await alice.request("POST /makes/unread/files", {
      body: uploadOf("print(1)", "bot.py"),
    });
    expect(json.label).toBe("bot.py");
    const download = async (slug: string) =>
      codeOf(await server.anonymous(`GET /makes/${slug}/files/${json.id}/download`));
    expect(await download("unread")).toEqual([409, "media_not_ready"]);
    await server.workOff();
    expect([await download("elsewhere"), await download("unread")]).toEqual([
      [404, "not_found"],
      [302, undefined],
    ]);
  });

  test("a part of one make is not found in another, whoever asks", async () => {
    await makeOf(alice, "mine");
    await makeOf(alice, "other");
    const { id } = await done(alice, "POST /makes/mine/parts", { name: "Wheel" });
    const { status } = await alice.request(`PATCH /makes/other/parts/${id}`, { body: { name: "Axle" } });
    expect([status, (await alice.request(`DELETE /makes/other/parts/${id}`)).status]).toEqual([404, 404]);
    expect((await done(alice, "GET /makes/mine")).parts).toMatchObject([{ name: "Wheel" }]);
  });

  test("the twentieth file is attached once, and a reorder against an addition loses nothing", async () => {
    await makeOf(alice, "raced");
    const mediaId = await upload(server, alice, "text", { purpose: "file" });
    const add = () => alice.request("POST /makes/raced/files", { body: { mediaId } });
    for (let n = 0; n < 18; n++) await add();
    const ids = async () => (await done(alice, "GET /makes/raced")).files.map(({ id }: { id: string }) => id);
    const known = await ids();
    const answers = await Promise.all([
      add(),
      alice.request("POST /makes/raced/files/reorder", { body: { ids: known.toReversed() } }),
      add(),
      add(),
      alice.request(`DELETE /makes/raced/files/${known[0]}`),
    ]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const { files } = await done(alice, "GET /makes/raced");
    expect(files.length).toBeLessThanOrEqual(20);
    expect(files.map(({ position }: { position: number }) => position)).toEqual(
      files.map((_: unknown, n: number) => n + 1),
    );
  });
});

describe("a remix", () => {
  test("is a draft with the texts, parts and links of a make; files and media stay, and links wait anew", async () => {
    await publishFiles(alice, "remixed", { "PROMPT.md": "Hello" });
    await publishFiles(alice, "hidden", { "PROMPT.md": "Hello" });
    const links = [{ prompt: "alice/remixed", note: "First" }, { prompt: "alice/hidden" }];
    await makeOf(alice, "source", { tags: ["bot"], license: "MIT", prompts: links });
    await done(alice, "POST /makes/source/parts", { name: "Wheel" });
    await done(alice, "POST /makes/source/media", { embedUrl: "https://vimeo.com/76979871" });
    await done(alice, "PATCH /prompts/alice/hidden", { visibility: "private" });
    const remix = await done(bob, "POST /makes/source/remix", { slug: "remix-of-source" });
    expect(remix).toMatchObject({
      slug: "remix-of-source",
      status: "draft",
      body: "It greets",
      html: "<p>It greets</p>\n",
      tags: ["bot"],
      license: "MIT",
      remixOf: { slug: "source" },
      media: [],
      files: [],
      parts: [{ name: "Wheel" }],
      links: [{ prompt: { ref: "alice/remixed" }, status: "pending", note: "First" }],
    });
    await done(bob, "PATCH /makes/remix-of-source", { status: "published" });
    expect((await done(bob, "GET /makes/source")).counts.remixes).toBe(1);
    const seen = async () => {
      const answers = [server.nobody, bob, alice].map((who) => who.request("GET /makes/remix-of-source"));
      return (await Promise.all(answers)).map(({ json }) => json.remixOf?.slug);
    };
    expect(await seen()).toEqual(["source", "source", "source"]);
    await done(alice, "PATCH /makes/source", { visibility: "unlisted" });
    expect(await seen()).toEqual([undefined, "source", "source"]);
    await done(alice, "PATCH /makes/source", { status: "draft" });
    expect(await seen()).toEqual([undefined, undefined, "source"]);
    await alice.request("DELETE /makes/source");
    expect(await seen()).toEqual([undefined, undefined, undefined]);
  });
});

test("a family tree shows where a prompt came from, its forks, their makes and the remixes of these, and no cycle", async () => {
  await publishFiles(alice, "root", { "PROMPT.md": "Hello" });
  await done(bob, "POST /prompts/alice/root/forks", { slug: "branch" });
  await done(alice, "POST /prompts/bob/branch/forks", { slug: "leaf" });
  await done(alice, "POST /prompts/alice/root/forks", { slug: "secret-branch", visibility: "private" });
  await makeOf(bob, "of-branch", { prompts: [{ prompt: "bob/branch" }, { prompt: "alice/root" }] });
  const { slug } = await done(alice, "POST /makes/of-branch/remix", { slug: "of-of-branch" });
  await done(alice, `PATCH /makes/${slug}`, { status: "published" });
  const tree = async (prompt: string, depth = 3, who: Pick<Person, "request"> = server.nobody) => {
    const { json } = await who.request(`GET /makes/family-tree?prompt=${prompt}&depth=${depth}`);
    const ref = (id: string) => json.nodes.find((node: { id: string }) => node.id === id).ref;
    return {
      nodes: json.nodes.map((node: { ref: string }) => node.ref).sort(),
      edges: json.edges.map((edge: any) => `${ref(edge.from)} ${edge.relation} ${ref(edge.to)}`).sort(),
      truncated: json.truncated,
    };
  };
  expect(await tree("bob/branch")).toEqual({
    nodes: ["alice/leaf", "alice/root", "bob/branch", "of-branch", "of-of-branch"],
    edges: [
      // Alice's own prompt: her remix of a make is approved at once.
      "alice/root fork bob/branch",
      "alice/root link of-of-branch",
      "bob/branch fork alice/leaf",
      "bob/branch link of-branch",
      "of-branch remix of-of-branch",
    ],
    truncated: false,
  });
  expect((await tree("bob/branch", 1)).nodes).toEqual([
    "alice/leaf",
    "alice/root",
    "bob/branch",
    "of-branch",
  ]);
  expect((await tree("bob/branch", 2)).nodes).toContain("of-of-branch");
  expect((await tree("alice/root", 1, alice)).nodes).toContain("alice/secret-branch");
  expect((await tree("alice/root", 5)).nodes).not.toContain("alice/secret-branch");
  await alice.request("DELETE /prompts/alice/secret-branch");
  expect((await tree("alice/root", 1, alice)).nodes).not.toContain("alice/secret-branch");
  const hidden = "/makes/family-tree?prompt=alice/secret-branch";
  expect(codeOf(await server.anonymous(`GET ${hidden}`))).toEqual([404, "not_found"]);
  const { links } = await done(bob, "GET /makes/of-branch");
  const rootLink = `/makes/of-branch/prompts/${links[1].id}`;
  await done(alice, `POST ${rootLink}/approve`);
  expect((await tree("bob/branch")).edges).toContain("alice/root link of-branch");
  await bob.request(`DELETE ${rootLink}`);
  expect((await tree("bob/branch")).edges).not.toContain("alice/root link of-branch");
  await done(bob, "POST /makes/of-of-branch/remix", { slug: "quiet-remix" });
  const has = async (ref: string, of = "bob/branch") => {
    const trees = [await tree(of), await tree(of, 3, alice), await tree(of, 3, bob)];
    return trees.map(({ nodes }) => nodes.includes(ref));
  };
  expect(await has("quiet-remix")).toEqual([false, false, false]);
  await done(bob, "PATCH /makes/quiet-remix", { status: "published", visibility: "unlisted" });
  expect(await has("quiet-remix")).toEqual([false, false, true]);
  for (const ref of ["alice/leaf", "alice/root"]) {
    await done(alice, `PATCH /prompts/${ref}`, { rating: "mature" });
    expect([ref, await has(ref)]).toEqual([ref, [false, true, false]]);
  }
});

test("a family tree and a gallery show an unlisted make to its maker alone, while it is published and approved", {
  tags: "long",
}, async () => {
  await publishFiles(alice, "trunk", { "PROMPT.md": "Hello" });
  const { links } = await makeOf(bob, "twig", {
    prompts: [{ prompt: "alice/trunk" }],
    visibility: "unlisted",
  });
  await makeOf(alice, "limb", { prompts: [{ prompt: "alice/trunk" }] });
  await done(bob, "POST /makes/limb/remix", { slug: "leaflet" });
  await done(bob, "PATCH /makes/leaflet", { status: "published", visibility: "unlisted" });
  const shown = async (who: Person) => {
    const { nodes } = await done(who, "GET /makes/family-tree?prompt=alice/trunk");
    const { items } = await done(who, "GET /makes/gallery?prompt=alice/trunk");
    return [
      nodes
        .map(({ ref }: { ref: string }) => ref)
        .filter((ref: string) => /twig|leaflet/.test(ref))
        .sort(),
      items.map(({ make }: { make: { slug: string } }) => make.slug).sort(),
    ];
  };
  expect(await shown(bob)).toEqual([["leaflet"], ["limb"]]);
  await done(alice, `POST /makes/twig/prompts/${links[0].id}/approve`);
  expect([await shown(alice), await shown(bob)]).toEqual([
    [[], ["limb"]],
    [
      ["leaflet", "twig"],
      ["limb", "twig"],
    ],
  ]);
  await done(bob, "POST /prompts/alice/trunk/forks", { slug: "sapling" });
  const upwards = (await done(bob, "GET /makes/family-tree?prompt=bob/sapling")).nodes;
  expect(upwards.map(({ ref }: { ref: string }) => ref)).toEqual(["bob/sapling", "alice/trunk"]);
  for (const slug of ["twig", "leaflet"]) await done(bob, `PATCH /makes/${slug}`, { status: "draft" });
  expect(await shown(bob)).toEqual([[], ["limb"]]);
  for (const slug of ["twig", "leaflet"]) await done(bob, `PATCH /makes/${slug}`, { status: "published" });
  expect(await shown(bob)).toEqual([
    ["leaflet", "twig"],
    ["limb", "twig"],
  ]);
  for (const slug of ["twig", "leaflet"]) await bob.request(`DELETE /makes/${slug}`);
  expect(await shown(bob)).toEqual([[], ["limb"]]);
});

test("a family tree that goes its most steps says that there may be more", async () => {
  await publishFiles(alice, "chain", { "PROMPT.md": "Hello" });
  for (let nth = 1; nth < 5; nth++) {
    await server.sql`
      insert into prompts (owner_id, slug, kind, title, visibility, rating, status, published_at, forked_from_id)
      select owner_id, ${`chain-${nth}`}, kind, 'Fork', visibility, rating, status, clock(), id
      from prompts where slug = ${nth === 1 ? "chain" : `chain-${nth - 1}`}`;
  }
  await server.sql`
    with made as (
      insert into makes (owner_id, slug, title, body, tags, visibility, status, document, published_at)
      select ${alice.id}, 'chained-' || n, 'A bot', '', '{}', 'public', 'published', '', clock()
      from generate_series(1, 450) n returning id)
    insert into make_links (make_id, prompt_id, owner_id, version_n, status, decided_at, is_live, is_shown)
    select made.id, p.id, p.owner_id, 1, 'approved', clock(), true, true from made cross join prompts p where p.slug like 'chain%'`;
  const { nodes, truncated } = await done(bob, "GET /makes/family-tree?prompt=alice/chain&depth=5");
  expect([nodes.length <= 455, truncated]).toEqual([true, true]);
});

test("a family tree shows five hundred at most, the nearest, and says that there are more", async () => {
  await publishFiles(alice, "crowd", { "PROMPT.md": "Hello" });
  const fork = (of: string, from: number, to: number) => server.sql`
    insert into prompts (owner_id, slug, kind, title, visibility, rating, status, published_at, forked_from_id)
    select owner_id, 'crowd-' || n, kind, 'Fork', visibility, rating, status, clock(), id
    from prompts, generate_series(${from}::int, ${to}::int) n where slug = ${of}`;
  const tree = async () => {
    const { nodes, edges, truncated } = await done(bob, "GET /makes/family-tree?prompt=alice/crowd");
    const refs = nodes.map(({ ref }: { ref: string }) => ref);
    return [refs[0], refs.length, edges.length, refs.includes("alice/crowd-1000"), truncated];
  };
  await fork("crowd", 1, 498);
  await fork("crowd-1", 1_000, 1_000);
  expect(await tree()).toEqual(["alice/crowd", 500, 499, true, false]);
  await fork("crowd", 499, 499);
  expect(await tree()).toEqual(["alice/crowd", 500, 499, false, true]);
});

test("a star or a remix of exactly fourteen days ago counts in no trend any more", {
  tags: "long",
}, async () => {
  await server.setClock("2030-01-15T12:00:00Z");
  for (const slug of ["old-1", "old-2"]) await makeOf(alice, slug);
  await done(bob, "POST /makes/old-1/star");
  const { slug } = await done(bob, "POST /makes/old-2/remix", {});
  await done(bob, `PATCH /makes/${slug}`, { status: "published" });
  const trends = async (at: string) => {
    await server.setClock(at);
    await rankMakes(server.sql);
    const rows =
      await server.sql`select trending > 0 as "isTrending" from makes where slug like 'old-_' order by slug`;
    return rows.map(({ isTrending }) => isTrending);
  };
  expect(await trends("2030-01-29T11:59:59.999Z")).toEqual([true, true]);
  expect(await trends("2030-01-29T12:00:00Z")).toEqual([false, false]);
});
