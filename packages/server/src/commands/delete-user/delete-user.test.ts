import { contract, listOperations } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mark, variantsOf } from "../../../test/contract/marked.ts";
import { fresh, isWrite, request, send } from "../../../test/contract/requests.ts";
import { type CommandLine, environmentOf, openCommandLine } from "../../../test/commands.ts";
import { commitFiles, done, proposeFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, promptOf, publish } from "../../../test/prompts.ts";
import { png, upload } from "../../../test/media.ts";
import { newContest, putInto } from "../../groups/contests/scenes.ts";
import { pruneRuns } from "../../groups/evals/prune.ts";
import { codeOf } from "../../../test/requests.ts";
import { liftLimits, TestStage } from "../../../test/stage.ts";

let server: TestServer;
let commands: CommandLine;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  commands = openCommandLine(environmentOf(server.database));
  bob = await server.join("bob");
});
afterAll(async () => {
  commands.close();
  await server.stop();
});

const remove = (handle: string, works: "keep" | "delete") =>
  commands.run("user", "delete", handle, "--works", works, "--yes");
const removed = async (handle: string, works: "keep" | "delete") => {
  const { code, stderr } = await remove(handle, works);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Deleted ${handle}.`)]);
  return /deleted-[0-9a-f]{12}/.exec(stderr)?.[0] ?? "";
};
const read = (route: string, headers = {}) => server.anonymous(`GET ${route}`, { headers });

const tables = () => server.sql<{ name: string }[]>`
  select relname as name from pg_class
  where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace order by 1`;

/** The columns in which a text stands, in any form. */
async function columnsWith(text: string): Promise<string[]> {
  const forms = [`%${text}%`, `%${Buffer.from(text).toString("hex")}%`];
  const found = await Promise.all(
    (await tables()).map(
      ({ name }) => server.sql<{ column: string }[]>`
      select distinct ${name} || '.' || field.key as column
      from ${server.sql(name)} t cross join json_each_text(row_to_json(t)) field where field.value like any(${forms})`,
    ),
  );
  return found
    .flat()
    .map(({ column }) => column)
    .sort();
}

/** What no operation needs to be given, with a text in it. */
async function writeOptional(who: Person, text = mark): Promise<void> {
  const at = `/prompts/${who.handle}/marked`;
  const files = filesOf(text);
  await done(who, "POST /prompts", { ...promptOf("marked"), files, summary: text, tags: [text] });
  await done(who, `POST ${at}/versions`, {
    files: filesOf(`${text} {{${text.replaceAll("-", "_")}}}`),
    message: text,
  });
  await done(who, `PUT ${at}/labels/live`, { versionNumber: 1, reason: text });
  await done(who, `POST ${at}/versions/2/yank`, { reason: text });
  await done(who, `PUT ${at}/draft`, { files, message: text });
  const example = { title: text, model: text, input: text, output: text, note: text, variables: { a: text } };
  await done(who, `POST ${at}/examples`, example);
  const dataset = await done(who, "POST /evals/datasets", {
    prompt: `${who.handle}/marked`,
    name: text,
    description: text,
  });
  const oneCase = { key: text, variables: { a: text }, expected: text, tags: [text], assertions: [] };
  await done(who, `POST /evals/datasets/${dataset.id}/cases`, { cases: [oneCase] });
  await done(who, "PATCH /me", { name: text, bio: text, website: `https://example.com/${text}` });
  const make = { title: text, summary: text, body: text, tags: [text] };
  const { slug } = await done(who, "POST /makes", make);
  await done(who, `POST /makes/${slug}/parts`, {
    name: text,
    url: `https://example.com/${text}`,
    note: text,
  });
  const post = await done(who, "POST /posts", { title: text, summary: text, body: text, tags: [text] });
  await done(who, `POST /posts/${post.id}/submit`, { note: text });
  await done(who, "POST /posts/series", { title: text, slug: "series-marked", description: text });
  await done(who, "POST /collections", { title: text, description: text, visibility: "private" });
  await upload(server, who, png(), { alt: text });
  const url = `https://8.8.8.8/${text}`;
  await done(who, "POST /webhooks", { url, description: text });
  await done(who, "POST /imports", {
    source: { type: "files", files: [{ path: `${text}.md`, content: text }] },
  });
  await server.workOff();
}

/** All rows that have one of these texts, by their table. */
async function rowsWith(texts: readonly string[]): Promise<Record<string, string[]>> {
  const found = await Promise.all(
    (await tables()).map(async ({ name }) => {
      const rows = await server.sql<{ row: string }[]>`
        select row_to_json(t)::text as row from ${server.sql(name)} t
        where row_to_json(t)::text like any(${texts.map((text) => `%${text}%`)}) order by 1`;
      return [name, rows.map(({ row }) => row)] as const;
    }),
  );
  return Object.fromEntries(found);
}

/** The ids of an account and of its works. */
async function idsOf({ id }: Person): Promise<string[]> {
  const rows = await server.sql<{ id: string }[]>`
    select id from prompts where owner_id = ${id} union all select id from makes where owner_id = ${id}
    union all select id from posts where owner_id = ${id} union all select id from collections where owner_id = ${id}`;
  return [id, ...rows.map((row) => row.id)];
}

/** Has to do with a prompt of bob's, with what operators and programs do, and with everything that a work can have. */
async function takePart(who: Person, slug: string, text: string): Promise<void> {
  const { sql } = server;
  const target = { type: "prompt", id: `bob/${slug}` };
  await done(who, `POST /prompts/bob/${slug}/star`);
  await done(who, `PUT /prompts/bob/${slug}/watch`, { level: "all" });
  const { id } = await done(bob, "POST /comments", { target, body: `@${who.handle} see this` });
  await done(who, "PUT /votes", { target: { type: "comment", id }, value: 1 });
  await sql`
    with prompt as (select id from prompts where slug = ${slug} and owner_id = ${bob.id}), former as (
      insert into former_watches select id, ${who.id}, 'all', clock(), clock() from prompt
    ), install as (
      insert into installs (prompt_id, target, installation, version_n, user_id)
      select id, 'tool', decode(md5(${who.id}), 'hex'), 1, ${who.id} from prompt
    ), code as (
      insert into discord_codes select ${who.id}, 'there', 1, decode(md5(${who.id}), 'hex'), clock(), ${who.id}
    ), link as (
      insert into discord_links select ${who.id}, ${`there-${who.id}`}, 'there'
    ), key as (
      insert into idempotency_keys select ${who.id}, 'prompts.create', 'key', '', 201, '{}', ''
    ), starred as (
      insert into make_stars select id, ${who.id} from makes where owner_id = ${who.id}
    ), file as (
      insert into make_files (make_id, media_id, label, position)
      select k.id, m.id, ${text}, 1 from makes k join media m using (owner_id) where owner_id = ${who.id}
    ), item as (
      insert into gallery_items (make_id, media_id, caption, position)
      select k.id, m.id, ${text}, 1 from makes k join media m using (owner_id) where owner_id = ${who.id}
    ), linked as (
      insert into make_links (make_id, prompt_id, owner_id, version_n, note, status, reason, decided_by, decided_at)
      select k.id, prompt.id, ${bob.id}, 1, ${text}, 'rejected', ${text}, ${bob.id}, clock() from makes k, prompt where k.owner_id = ${who.id}
    ), collected as (
      insert into collection_items (collection_id, target_id, note, position)
      select c.id, prompt.id, ${text}, 1 from collections c, prompt where c.owner_id = ${who.id}
    )
    insert into installers select id, ${who.id} from prompt`;
  await server.workOff();
}

describe("promptreg-server user delete --works delete", () => {
  test("leaves no text that the account wrote, but where it belongs to others, or is kept for a time", {
    tags: "long",
  }, async () => {
    const leaver = await server.join("leaver-of-all");
    const stage = new TestStage({ server, owner: leaver, viewer: await server.join("viewer") });
    const written = new Set<string>();
    for (const { id, operation } of listOperations(contract)) {
      if (!isWrite(operation)) continue;
      const staging = { id, operation, stage };
      for (const variant of variantsOf(request(staging, await fresh(staging)))) {
        const { status } = await send(staging, leaver, variant);
        if (status < 300) written.add(id);
      }
    }
    expect(written.size).toBeGreaterThan(90);
    await writeOptional(leaver);
    const before = await columnsWith(mark);
    expect(before).toEqual(
      expect.arrayContaining(["blobs.content", "drafts.files", "post_revisions.body", "eval_runs.model"]),
    );
    expect(before.length).toBeGreaterThan(60);
    const next = await removed("leaver-of-all", "delete");
    await pruneRuns(server.context);
    expect(await columnsWith(mark)).toEqual([
      // Nothing is deleted from it.
      "audit_log.data",
      // Names of tools that install, and tags, that are counted.
      "counters.name",
      // For thirty days, with the deliveries of them.
      "events.body",
      // Addresses, which nobody else gets.
      "make_slugs.slug",
      "makes.slug",
      "post_series.slug",
      "posts.slug",
      "prompts.slug",
      "tag_changes.name",
      "tags.name",
    ]);
    expect(await columnsWith("leaver-of-all")).toEqual([
      "audit_log.data",
      // An operator chose it.
      "contests.slug",
      "events.body",
      "former_handles.handle",
      // Where it was when it was reported.
      "reports.address",
    ]);
    const [user] = await server.sql`select * from users where id = ${leaver.id}`;
    expect(user).toMatchObject({ handle: next, name: null, bio: null, website: null, email: null });
  });

  test("ends its addresses and its handle, which nobody else gets", async () => {
    const leaver = await server.join("leaver-1");
    await publish(leaver, "open");
    await commands.run("user", "rename", "leaver-1", "leaver-2");
    await removed("leaver-2", "delete");
    for (const handle of ["leaver-1", "leaver-2"]) {
      expect(codeOf(await read(`/prompts/${handle}/open`))).toEqual([404, "not_found"]);
      expect(codeOf(await read(`/users/${handle}`))).toEqual([404, "not_found"]);
      expect((await read(`/prompts?owner=${handle}`)).json.items).toEqual([]);
      const again = await commands.run("user", "add", handle);
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is taken")]);
    }
    expect((await leaver.request("GET /me")).status).toBe(401);
  });

  test("takes nothing of somebody else's", { tags: "long" }, async () => {
    const [leaver, stayer] = [await server.join("leaver-alone"), await server.join("stayer")];
    await publish(bob, "of-both");
    for (const who of [leaver, stayer]) {
      await writeOptional(who, `said-by-${who.handle}`);
      await takePart(who, "of-both", `said-by-${who.handle}`);
    }
    await commitFiles(bob, "bob/of-both", { "PROMPT.md": "Two" });
    await server.workOff();
    const texts = ["said-by-stayer", ...(await idsOf(stayer))];
    const before = await rowsWith(texts);
    const news = (await stayer.request("GET /notifications")).json.items;
    expect(Object.keys(before).filter((table) => before[table]?.length).length).toBeGreaterThan(40);
    expect(news.map((one: { type: string }) => one.type)).toContain("prompt.version.created");
    await removed("leaver-alone", "delete");
    expect(await rowsWith(texts)).toEqual(before);
    // What only the account was told is told to nobody.
    const untold = await server.sql`
      select type from notices n where not exists (select from notifications f where f.notice_id = n.id)`;
    expect(untold).toEqual([]);
    expect((await stayer.request("GET /notifications")).json.items).toEqual(news);
  });

  test("takes no content that somebody else has as well", { tags: "long" }, async () => {
    const leaver = await server.join("leaver-shared");
    await publish(leaver, "same", { files: filesOf("The same text, twice") });
    await publish(leaver, "other", { files: filesOf("A text of its own") });
    await publish(bob, "same", { files: filesOf("The same text, twice") });
    await removed("leaver-shared", "delete");
    expect((await read("/prompts/bob/same/raw/PROMPT.md")).text).toBe("The same text, twice");
    expect(await columnsWith("A text of its own")).toEqual([]);
    // Whoever writes it again has it again.
    await publish(bob, "again", { files: filesOf("A text of its own") });
    expect((await read("/prompts/bob/again/raw/PROMPT.md")).text).toBe("A text of its own");
  });
});

describe("promptreg-server user delete --works keep", () => {
  test("keeps what others can see, under another handle, to which old addresses lead", async () => {
    const leaver = await server.join("leaver-kept");
    await publish(leaver, "open", { files: filesOf("Still in use") });
    await publish(leaver, "hidden", { visibility: "private", files: filesOf("Nobody else saw this") });
    await publish(leaver, "drafted", { publish: false, files: filesOf("Nor this") });
    await done(leaver, "PUT /prompts/leaver-kept/open/draft", { files: filesOf("Nor what comes next") });
    await publish(bob, "talked-about");
    await done(leaver, "POST /comments", {
      target: { type: "prompt", id: "bob/talked-about" },
      body: "I like it",
    });
    const next = await removed("leaver-kept", "keep");

    const { status, headers } = await read("/prompts/leaver-kept/open/raw/PROMPT.md");
    expect([status, headers.get("location")]).toEqual([
      301,
      `${server.url}/api/v1/prompts/${next}/open/raw/PROMPT.md`,
    ]);
    const kept = (await read(`/prompts/${next}/open`)).json;
    expect(kept).toMatchObject({
      owner: { handle: next, name: null },
      version: { author: { handle: next } },
    });
    const [comment] = (await read("/comments?target=prompt:bob/talked-about")).json.items;
    expect(comment).toMatchObject({ body: "I like it", author: { handle: next } });
    for (const text of ["Nobody else saw this", "Nor this", "Nor what comes next"])
      expect([text, await columnsWith(text)]).toEqual([text, []]);
    expect((await leaver.request("GET /me")).status).toBe(401);
  });

  test("keeps every text of what others can see", { tags: "long" }, async () => {
    const leaver = await server.join("leaver-seen");
    const sql = server.sql;
    await publish(bob, "seen-by-all");
    await sql`update users set trusted_author = true where id = ${leaver.id}`;
    await writeOptional(leaver, "shown-to-all");
    await done(leaver, "PATCH /makes/shown-to-all", { status: "published" });
    await takePart(leaver, "seen-by-all", "shown-to-all");
    await sql`update collections set visibility = 'public' where owner_id = ${leaver.id}`;
    const before = await columnsWith("shown-to-all");
    await removed("leaver-seen", "keep");
    const after = await columnsWith("shown-to-all");
    expect(before.filter((column) => !after.includes(column))).toEqual([
      "drafts.files",
      "drafts.message",
      "imports.source",
      // Nothing shows it.
      "media.alt",
      // What others were told of it.
      "notices.body",
      "users.bio",
      "users.name",
      "users.website",
      "users.words",
      "webhooks.description",
      "webhooks.url",
    ]);
  });

  test("gives its versions another author, and another ETag", async () => {
    const leaver = await server.join("leaver-cached");
    await publish(leaver, "cached", { labels: ["live"] });
    const routes = (owner: string) => [
      `/prompts/${owner}/cached/versions/1`,
      `/prompts/${owner}/cached/versions/1?files=meta`,
      `/prompts/${owner}/cached?label=live`,
      `/prompts/${owner}/cached?label=live&view=version`,
      `/prompts?owner=${owner}&view=version&label=live`,
      `/prompts?owner=${owner}&view=changes&label=live`,
      `/prompts/${owner}/cached/versions`,
    ];
    const before = await Promise.all(routes("leaver-cached").map((route) => read(route)));
    expect(before[0]?.json.author).toEqual({ id: leaver.id, handle: "leaver-cached" });
    const next = await removed("leaver-cached", "keep");
    for (const [nth, route] of routes(next).entries()) {
      const etag = before[nth]?.headers.get("etag") ?? "";
      const { status, text, headers } = await read(route, { "if-none-match": etag });
      expect([route, status, headers.get("etag") === etag]).toEqual([route, 200, false]);
      expect([route, text.includes("leaver-cached")]).toEqual([route, false]);
    }
    const purges = await server.sql`
      select from purges where key in (select id from prompts where slug = 'cached' and owner_id = ${leaver.id})`;
    expect(purges.count).toBe(1);
    const { json, headers } = await read(`/prompts/${next}/cached/versions/1`);
    expect(json).toEqual({ ...before[0]?.json, author: { id: leaver.id, handle: next } });
    expect(
      (await read(`/prompts/${next}/cached/versions/1`, { "if-none-match": headers.get("etag") })).status,
    ).toBe(304);
  });

  test("works on a suspended account, and it stays suspended", async () => {
    const leaver = await server.join("leaver-suspended");
    await publish(leaver, "hidden", { visibility: "private" });
    await commands.run("user", "suspend", "leaver-suspended");
    await removed("leaver-suspended", "keep");
    const [user] = await server.sql`
      select suspended_at is not null as suspended, (select count(*)::int from prompts where owner_id = u.id
        and deleted_at is null) as prompts from users u where id = ${leaver.id}`;
    expect(user).toEqual({ suspended: true, prompts: 0 });
  });
});

describe("promptreg-server user delete", () => {
  test("without --yes says what would go, and deletes nothing", async () => {
    const leaver = await server.join("leaver-unsure", { role: "moderator" });
    await publish(leaver, "open");
    await publish(leaver, "hidden", { visibility: "private" });
    const { code, stderr } = await commands.run("user", "delete", "leaver-unsure", "--works", "delete");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ 2 {2}prompts\n[^]*say --yes/)]);
    expect(stderr).toContain("leaver-unsure is the only moderator. Give somebody else that role first.");
    await server.join("moderator-beside", { role: "moderator" });
    const beside = await commands.run("user", "delete", "leaver-unsure", "--works", "delete");
    expect(beside.stderr).not.toContain("is the only");
    expect((await leaver.request("GET /prompts/leaver-unsure/hidden")).status).toBe(200);
  });

  test("says of each kind how much would go, and counts nothing that stays, or has gone before", {
    tags: "long",
  }, async () => {
    const [leaver, host] = [await server.join("leaver-of-each"), await server.join("host")];
    const sql = server.sql;
    for (const slug of ["liked", "mended"]) await publish(host, slug);
    const [liked, own] = ["/prompts/host/liked", "/prompts/leaver-of-each"];
    const hooks = [];
    for (let nth = 0; nth < 2; nth++)
      hooks.push((await done(leaver, "POST /webhooks", { url: "http://127.0.0.1:1/" })).id);
    await done(leaver, `DELETE /webhooks/${hooks[0]}`);
    await done(leaver, `PUT ${liked}/watch`, { level: "all" });
    await done(leaver, `POST ${liked}/star`);
    const { slug: make } = await done(host, "POST /makes", { title: "Theirs", body: "It says" });
    await done(host, `PATCH /makes/${make}`, { status: "published" });
    await done(leaver, `POST /makes/${make}/star`);
    const target = { type: "prompt", id: "host/liked" };
    const comments = [];
    for (const body of ["seen", "held", "gone"])
      comments.push((await done(leaver, "POST /comments", { target, body })).id);
    await done(leaver, `DELETE /comments/${comments[2]}`);
    await sql`update comments set status = 'held' where id = ${comments[1]}`;
    const { id: theirs } = await done(host, "POST /comments", { target, body: "Mine" });
    await done(leaver, "PUT /votes", { target: { type: "comment", id: theirs }, value: 1 });
    for (const status of ["approved", "pending", "deleted"]) {
      const { id } = await done(leaver, `POST ${liked}/examples`, { output: status });
      if (status === "deleted") await done(leaver, `DELETE ${liked}/examples/${id}`);
      if (status === "approved") await done(host, `POST /examples/${id}/approve`);
    }
    const { n } = await proposeFiles(leaver, "host/mended", { "PROMPT.md": "Better" });
    await proposeFiles(leaver, "host/mended", { "PROMPT.md": "Best" }, { slug: "mended-2" });
    await done(leaver, `PATCH /prompts/host/mended/change-requests/${n}`, { state: "closed" });
    for (const state of ["published", "draft", "deleted"]) {
      const { slug } = await done(leaver, "POST /makes", { title: state, body: "It says" });
      if (state === "published") await done(leaver, `PATCH /makes/${slug}`, { status: "published" });
      if (state === "deleted") await done(leaver, `DELETE /makes/${slug}`);
      const { id } = await done(leaver, "POST /posts", { title: state, body: "It says" });
      if (state === "published") await sql`update users set trusted_author = true where id = ${leaver.id}`;
      if (state === "published") await done(leaver, `POST /posts/${id}/submit`, {});
      if (state === "deleted") await done(leaver, `DELETE /posts/${id}`);
      const series = await done(leaver, "POST /posts/series", { title: state, slug: `series-${state}` });
      if (state !== "published") await done(leaver, `DELETE /posts/series/${series.id}`);
      const visibility = state === "draft" ? "private" : "public";
      const collection = await done(leaver, "POST /collections", { title: state, visibility });
      if (state === "deleted") await done(leaver, `DELETE /collections/${collection.id}`);
    }
    for (const slug of ["open", "drafted", "hidden", "gone"]) {
      await publish(leaver, slug, {
        visibility: slug === "hidden" ? "private" : "public",
        publish: slug !== "drafted",
      });
      await done(leaver, `PUT ${own}/${slug}/draft`, { files: filesOf("Next") });
    }
    await done(leaver, `DELETE ${own}/gone`);
    for (const status of ["ready", "cancelled"]) {
      const { id } = await done(leaver, "POST /imports", { source: { type: "paste", text: status } });
      if (status === "cancelled") await done(leaver, `POST /imports/${id}/cancel`);
    }
    await upload(server, leaver, png());
    const avatarMediaId = await upload(server, leaver, png({ colour: [1, 2, 3] }));
    await done(leaver, "PATCH /me", { avatarMediaId });
    await done(leaver, `DELETE /media/${await upload(server, leaver, png({ colour: [4, 5, 6] }))}`);
    const slugs = ["voting", "judging", "closed"] as const;
    for (const phase of slugs) {
      const contest = await newContest({ server, owner: host });
      await publish(leaver, `of-${phase}`);
      const enter = (who: Person, id: string) =>
        done(who, `POST /contests/${contest}/entries`, { type: "prompt", id });
      await enter(leaver, `leaver-of-each/of-${phase}`);
      const { id } = await enter(host, "host/liked");
      await putInto(sql, contest, "voting");
      await done(leaver, `POST /contests/${contest}/entries/${id}/vote`);
      await putInto(sql, contest, phase);
    }

    const counted = async (works: string) => {
      const { stderr } = await commands.run("user", "delete", "leaver-of-each", "--works", works);
      return Object.fromEntries(
        [...stderr.matchAll(/^ +(\d+) {2}(.+)$/gm)].map(([, count, what = ""]) => [what, Number(count)]),
      );
    };
    const always = {
      webhooks: 1,
      watches: 1,
      "stars of prompts": 1,
      "stars of makes": 1,
      votes: 1,
      "votes in contests": 1,
      "drafts of prompts that stay": 3,
      imports: 1,
      "picture of the account": 1,
      "pictures and files that nothing shows": 1,
    };
    expect(await counted("keep")).toEqual({
      ...always,
      comments: 1,
      examples: 1,
      makes: 1,
      posts: 1,
      collections: 1,
      prompts: 2,
    });
    expect(await counted("delete")).toEqual({
      ...always,
      "entries in contests": 2,
      comments: 2,
      examples: 2,
      "open change requests": 1,
      makes: 2,
      posts: 2,
      "series of posts": 1,
      collections: 2,
      // With two forks, and what was entered.
      prompts: 8,
    });
  });

  test("that was interrupted is done by running it again", async () => {
    const leaver = await server.join("leaver-again");
    await publish(leaver, "open");
    await commitFiles(leaver, "leaver-again/open", { "PROMPT.md": "Two" });
    await server.sql.unsafe(`
      create function interrupt() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$;
      create trigger interrupt before delete on imports execute function interrupt()`);
    expect((await remove("leaver-again", "delete")).code).toBe(1);
    expect((await leaver.request("GET /me")).status).toBe(401);
    await server.sql.unsafe("drop function interrupt cascade");
    await removed("leaver-again", "delete");
    expect((await remove("leaver-again", "delete")).stderr).toContain("was deleted");
  });

  test("ends where another run of it took over", { tags: "long" }, async () => {
    const leaver = await server.join("leaver-raced");
    for (const slug of ["one", "two"]) await publish(leaver, slug);
    await server.sql.unsafe(`
      create function take_over() returns trigger language plpgsql as $$ begin
        update tokens set revoked_at = clock() where user_id = new.owner_id; return new;
      end $$;
      create trigger take_over before update of deleted_at on prompts for each row execute function take_over()`);
    const { code, stderr } = await remove("leaver-raced", "delete");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("Another run of this command has taken over."),
    ]);
    await server.sql.unsafe("drop function take_over cascade");
    await removed("leaver-raced", "delete");
  });

  test("asks what becomes of works, and knows a deleted account", async () => {
    await server.join("leaver-twice");
    const asked = await commands.run("user", "delete", "leaver-twice", "--works", "some", "--yes");
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("keep, under another handle")]);
    const next = await removed("leaver-twice", "keep");
    for (const command of [
      ["user", "delete", next, "--works", "keep"],
      ["user", "delete", "leaver-twice", "--works", "delete"],
      ["token", "create", "--user", next],
      ["user", "suspend", next, "--undo"],
    ])
      expect((await commands.run(...command)).stderr).toContain("was deleted");
    expect((await commands.run("user", "list")).stdout).not.toContain(next);
  });
});
