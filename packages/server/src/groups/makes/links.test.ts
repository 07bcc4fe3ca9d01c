import { afterAll, beforeAll, expect, test } from "vitest";
import { commitFiles, done, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { selectMadeWith } from "./links.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let mod: Person;
let watcher: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  [alice, bob, watcher] = [
    await server.join("alice"),
    await server.join("bob"),
    await server.join("watcher"),
  ];
  mod = await server.join("mod", { role: "moderator" });
});
afterAll(() => server.stop());

/** A public prompt of alice's, which somebody watches. */
async function publish(slug: string): Promise<void> {
  await publishFiles(alice, slug, { "PROMPT.md": "Hello" });
  await done(watcher, `PUT /prompts/alice/${slug}/watch`, { level: "all" });
  await heard();
}
const makeOf = (who: Person, slug: string, body: object = {}): Promise<any> =>
  done(who, "POST /makes", { title: "A bot", slug, body: "It greets", publish: true, ...body });
const linkTo = (slug: string) => ({ prompts: [{ prompt: `alice/${slug}` }] });

/** What was written since the last time: events with their receivers and levels, and notifications. */
async function heard(): Promise<string[]> {
  await server.workOff();
  const rows = await server.sql<{ line: string }[]>`
    select n.type || ' → ' || string_agg(u.handle, ', ' order by u.handle) as line
    from notifications n join users u on u.id = n.user_id where n.read_at is null group by n.type order by n.type`;
  await server.sql`update notifications set read_at = clock()`;
  return rows.map(({ line }) => line);
}
const galleryOf = async (slug: string, who: Pick<Person, "request"> = server.nobody) => {
  const { json } = await who.request(`GET /makes/gallery?prompt=alice/${slug}`);
  return json.items.map(({ make }: { make: { slug: string } }) => make.slug);
};
const inbox = async () => (await done(alice, "GET /makes/inbox")).items;

test("a make that links to a prompt waits for its owner, who approves it once, and both hear of it", async () => {
  await publish("waits");
  const { links } = await makeOf(bob, "greeter", linkTo("waits"));
  expect(links).toMatchObject([{ prompt: { ref: "alice/waits" }, versionNumber: 1, status: "pending" }]);
  expect(await heard()).toEqual(["make.linked → alice, watcher"]);
  expect([await galleryOf("waits"), (await server.anonymous("GET /makes/greeter")).json.links]).toEqual([
    [],
    [],
  ]);
  const [{ link, make }] = await inbox();
  expect([link.id, make.slug]).toEqual([links[0].id, "greeter"]);
  const approve = () => done(alice, `POST /makes/greeter/prompts/${link.id}/approve`);
  expect(await approve()).toMatchObject({ status: "approved", decidedBy: { handle: "alice" } });
  await approve();
  expect(await heard()).toEqual(["make.approved → bob"]);
  expect([await galleryOf("waits"), await inbox()]).toEqual([["greeter"], []]);
  expect((await server.anonymous("GET /prompts/alice/waits")).json.counts.makes).toBe(1);
});

test("a link to the maker's own prompt is approved at once, and both events follow", async () => {
  await publish("own");
  await makeOf(alice, "own-make", linkTo("own"));
  const events = await server.sql<{ name: string; status: string; to: string[] }[]>`
    select name, convert_from(body, 'UTF8')::json #>> '{data,link,status}' as status, account_ids as to from events e
    where prompt_id = (select id from prompts where slug = 'own') and name like 'make.%' order by created_at`;
  expect(events.map(({ name, status }) => [name, status])).toEqual([
    ["make.linked", "approved"],
    ["make.approved", "approved"],
  ]);
  expect(await heard()).toEqual(["make.linked → watcher"]);
  expect(await galleryOf("own")).toEqual(["own-make"]);
  const { items } = (await server.anonymous("GET /makes?prompt=alice/own")).json;
  expect(items.map(({ slug }: { slug: string }) => slug)).toEqual(["own-make"]);
});

test("nothing of a draft is in an inbox, a gallery or a tree until it is published, and nothing is told twice", async () => {
  await publish("drafted");
  const { links } = await makeOf(bob, "drafted", { ...linkTo("drafted"), publish: false });
  const tree = async () =>
    (await server.anonymous("GET /makes/family-tree?prompt=alice/drafted")).json.nodes.length;
  expect([await heard(), await inbox(), await tree()]).toEqual([[], [], 1]);
  expect(codeOf(await alice.request(`POST /makes/drafted/prompts/${links[0].id}/approve`))).toEqual([
    404,
    "not_found",
  ]);
  const become = (status: string) => done(bob, "PATCH /makes/drafted", { status });
  const { publishedAt } = await become("published");
  expect([await heard(), (await inbox()).length]).toEqual([["make.linked → alice, watcher"], 1]);
  await done(alice, `POST /makes/drafted/prompts/${links[0].id}/approve`);
  await done(alice, `POST /makes/drafted/prompts/${links[0].id}/pin`, { pinned: true });
  expect([await tree(), await galleryOf("drafted")]).toEqual([2, ["drafted"]]);
  await heard();
  await become("draft");
  expect([await tree(), await galleryOf("drafted")]).toEqual([1, []]);
  expect(await become("published")).toMatchObject({
    publishedAt,
    links: [{ status: "approved", pinned: false }],
  });
  expect([await heard(), await galleryOf("drafted")]).toEqual([[], ["drafted"]]);
});

test("a prompt that is deleted before a draft is published hears of nothing", async () => {
  await publish("deleted");
  await makeOf(bob, "late", { ...linkTo("deleted"), publish: false });
  await alice.request("DELETE /prompts/alice/deleted");
  await heard();
  await done(bob, "PATCH /makes/late", { status: "published" });
  expect(await heard()).toEqual([]);
});

test("a gallery has pinned makes first, then the latest approved, and those of one version if asked", {
  tags: "long",
}, async () => {
  await publish("ordered");
  const ats: string[] = [];
  for (const [nth, visibility] of ["public", "public", "public", "unlisted"].entries()) {
    const { slug, links } = await makeOf(bob, `ordered-${nth}`, { ...linkTo("ordered"), visibility });
    ats.push(`/makes/${slug}/prompts/${links[0].id}`);
  }
  for (const nth of [1, 3, 2, 0]) await done(alice, `POST ${ats[nth]}/approve`);
  await done(alice, `POST ${ats[1]}/pin`, { pinned: true });
  const gallery = async (query: string, who: Pick<Person, "request">) =>
    (await itemsOf(who, `GET /makes/gallery?prompt=alice/ordered&limit=1${query}`)).map(({ make }) =>
      Number(make.slug.at(-1)),
    );
  expect(await gallery("", server.nobody)).toEqual([1, 0, 2]);
  expect(await gallery("&version=1", bob)).toEqual([1, 0, 2, 3]);
  expect(await gallery("&version=2", bob)).toEqual([]);
  await done(alice, `POST ${ats[1]}/pin`, { pinned: false });
  expect(await gallery("", bob)).toEqual([0, 2, 3, 1]);
  await server.sql`
    update make_links set decided_at = clock() where prompt_id = (select id from prompts where slug = 'ordered')`;
  expect(await gallery("", bob)).toEqual([3, 2, 1, 0]);
  await bob.request("DELETE /makes/ordered-0");
  expect(await gallery("", bob)).toEqual([3, 2, 1]);
  expect((await server.anonymous("GET /prompts/alice/ordered")).json.counts.makes).toBe(2);
});

test("an inbox has the newest first, those of one prompt if asked, and none of a deleted one", {
  tags: "long",
}, async () => {
  for (const slug of ["asked-1", "asked-2"]) await publish(slug);
  await makeOf(bob, "asks-both", { prompts: [{ prompt: "alice/asked-1" }, { prompt: "alice/asked-2" }] });
  await makeOf(bob, "asks-first", linkTo("asked-1"));
  const slugs = async (query: string) =>
    (await itemsOf(alice, `GET /makes/inbox?limit=1${query}`)).map(({ make }) => make.slug);
  const first = "&prompt=alice/asked-1";
  expect(await slugs(first)).toEqual(["asks-first", "asks-both"]);
  expect(await slugs("&prompt=alice/asked-2")).toEqual(["asks-both"]);
  expect((await slugs("")).slice(0, 3)).toEqual(["asks-first", "asks-both", "asks-both"]);
  await alice.request("DELETE /prompts/alice/asked-1");
  expect((await slugs("")).filter((slug) => slug.startsWith("asks"))).toEqual(["asks-both"]);
});

test("a link that its maker removes leaves the gallery, and comes back approved for the same version alone", async () => {
  await publish("leaves");
  await commitFiles(alice, "alice/leaves", { "PROMPT.md": "Hello, you" });
  const { links } = await makeOf(bob, "leaving", linkTo("leaves"));
  const at = `/makes/leaving/prompts/${links[0].id}`;
  await done(alice, `POST ${at}/approve`);
  await done(alice, `POST ${at}/pin`, { pinned: true });
  const makes = async () => [
    await galleryOf("leaves"),
    (await server.anonymous("GET /prompts/alice/leaves")).json.counts.makes,
  ];
  const leave = () => bob.request(`DELETE ${at}`);
  const comeBack = (versionNumber: number) =>
    done(bob, "POST /makes/leaving/prompts", { prompt: "alice/leaves", versionNumber });
  expect([await makes(), (await leave()).status, await makes()]).toEqual([[["leaving"], 1], 204, [[], 0]]);
  const approved = { status: "approved", decidedBy: { handle: "alice" }, pinned: false };
  expect([await comeBack(2), await makes()]).toMatchObject([approved, [["leaving"], 1]]);
  await leave();
  await heard();
  const pending = { status: "pending", decidedBy: null, decidedAt: null, versionNumber: 1 };
  expect([await comeBack(1), await makes(), await heard()]).toMatchObject([pending, [[], 0], []]);
});

test("of an unlisted make only the owner of the prompt and the maker hear, and only the maker finds it", async () => {
  await publish("quiet");
  const { links } = await makeOf(bob, "quiet", { ...linkTo("quiet"), visibility: "unlisted" });
  expect(await heard()).toEqual(["make.linked → alice"]);
  const tree = async () => (await bob.request("GET /makes/family-tree?prompt=alice/quiet")).json;
  expect((await tree()).nodes).toHaveLength(1);
  await done(alice, `POST /makes/quiet/prompts/${links[0].id}/approve`);
  expect(await heard()).toEqual(["make.approved → bob"]);
  const pin = await alice.request(`POST /makes/quiet/prompts/${links[0].id}/pin`, { body: { pinned: true } });
  expect(codeOf(pin)).toEqual([409, "link_not_approved"]);
  expect([await galleryOf("quiet"), await galleryOf("quiet", bob)]).toEqual([[], ["quiet"]]);
  expect((await tree()).edges).toMatchObject([{ relation: "link" }]);
  expect((await server.anonymous("GET /prompts/alice/quiet")).json.counts.makes).toBe(0);
});

test("a rejection reaches the maker with its reason, also after an approval and if it is another, and another link does not undo it", async () => {
  await publish("rejects");
  const { links } = await makeOf(bob, "rejected", linkTo("rejects"));
  const at = `/makes/rejected/prompts/${links[0].id}`;
  await done(alice, `POST ${at}/approve`);
  await done(alice, `POST ${at}/pin`, { pinned: true });
  await heard();
  expect(await done(alice, `POST ${at}/reject`, { reason: "Not about it" })).toMatchObject({
    status: "rejected",
    reason: "Not about it",
    pinned: false,
  });
  expect([await heard(), await galleryOf("rejects")]).toEqual([["make.rejected → bob"], []]);
  await done(alice, `POST ${at}/reject`, {});
  expect(await heard()).toEqual([]);
  await done(alice, `POST ${at}/reject`, { reason: "About another" });
  expect(await heard()).toEqual(["make.rejected → bob"]);
  expect((await bob.request("GET /notifications")).json.items[0].body).toBe(
    "Rejected by alice: About another",
  );
  expect((await bob.request(`DELETE ${at}`)).status).toBe(204);
  expect(await done(bob, "POST /makes/rejected/prompts", { prompt: "alice/rejects" })).toMatchObject({
    status: "rejected",
  });
  expect([await heard(), await inbox()]).toEqual([
    [],
    expect.not.arrayContaining([
      expect.objectContaining({ make: expect.objectContaining({ slug: "rejected" }) }),
    ]),
  ]);
});

test("the owner of a prompt removes a link for good, and a stranger removes none", async () => {
  await publish("removes");
  const { links } = await makeOf(bob, "removed", linkTo("removes"));
  const at = `/makes/removed/prompts/${links[0].id}`;
  expect(codeOf(await watcher.request(`DELETE ${at}`))).toEqual([404, "not_found"]);
  await done(alice, `POST ${at}/approve`);
  expect(codeOf(await watcher.request(`DELETE ${at}`))).toEqual([403, "forbidden"]);
  expect((await alice.request(`DELETE ${at}`)).status).toBe(204);
  expect(codeOf(await alice.request(`POST ${at}/approve`))).toEqual([404, "not_found"]);
  expect(await done(bob, "POST /makes/removed/prompts", { prompt: "alice/removes" })).toMatchObject({
    status: "rejected",
  });
});

test("a link names a version that there is, once, and twenty of them are the most", async () => {
  await publish("named");
  await makeOf(bob, "linker");
  const link = (prompt: string, fields: object = {}) =>
    bob.request("POST /makes/linker/prompts", { body: { prompt, ...fields } });
  expect(codeOf(await link("alice/named", { versionNumber: 2 }))).toEqual([404, "not_found"]);
  expect(codeOf(await link("alice/nothing"))).toEqual([404, "not_found"]);
  expect((await link("alice/named", { versionNumber: 1 })).status).toBe(201);
  expect(codeOf(await link("alice/named"))).toEqual([409, "link_exists"]);
  await publishFiles(alice, "secret", { "PROMPT.md": "Hello" }, { visibility: "private" });
  expect(codeOf(await link("alice/secret"))).toEqual([404, "not_found"]);
  const body = { title: "Two", prompts: [{ prompt: "alice/named" }, { prompt: "alice/secret" }] };
  expect(codeOf(await bob.request("POST /makes", { body }))).toEqual([404, "not_found"]);
  expect((await bob.request("GET /makes?mine=true&q=two")).json.items).toEqual([]);
  await publish("recalled");
  await done(alice, "POST /prompts/alice/recalled/versions/1/yank");
  expect(codeOf(await link("alice/recalled"))).toEqual([409, "version_yanked"]);
  expect((await link("alice/recalled", { versionNumber: 1 })).status).toBe(201);
  await publishFiles(bob, "unpublished", { "PROMPT.md": "Hello" }, { publish: false });
  expect(codeOf(await link("bob/unpublished"))).toEqual([409, "prompt_not_published"]);
  await server.sql`
    with made as (
      insert into prompts (owner_id, slug, kind, title, visibility, rating, status)
      select ${alice.id}, 'many-' || n, 'text', 'Many', 'private', 'general', 'published' from generate_series(3, 19) n
      returning id)
    insert into make_links (make_id, prompt_id, owner_id, version_n, status)
    select k.id, made.id, ${alice.id}, 1, 'pending' from made cross join makes k where k.slug = 'linker'`;
  await publish("twentieth");
  await publish("one-more");
  const { status, json } = await link("alice/twentieth");
  expect(status).toBe(201);
  expect(codeOf(await link("alice/one-more"))).toEqual([409, "quota_exceeded"]);
  await bob.request(`DELETE /makes/linker/prompts/${json.id}`);
  expect((await link("alice/one-more")).status).toBe(201);
});

test("what a prompt turned private, was renamed or deleted, is seen in the makes that link to it", async () => {
  await publish("turns");
  const { links } = await makeOf(bob, "turning", linkTo("turns"));
  await done(alice, `POST /makes/turning/prompts/${links[0].id}/approve`);
  const refs = async (who: Pick<Person, "request">) =>
    (await who.request("GET /makes/turning")).json.links.map(({ prompt }: any) => prompt.ref);
  const everybody = async () => [await refs(server.nobody), await refs(bob), await refs(alice)];
  await done(alice, "PATCH /prompts/alice/turns", { slug: "turned" });
  expect(await everybody()).toEqual([["alice/turned"], ["alice/turned"], ["alice/turned"]]);
  await done(alice, "PATCH /prompts/alice/turned", { rating: "mature" });
  expect(await everybody()).toEqual([[], ["alice/turned"], ["alice/turned"]]);
  await done(alice, "PATCH /prompts/alice/turned", { rating: "general", visibility: "unlisted" });
  expect(await everybody()).toEqual([[], ["alice/turned"], ["alice/turned"]]);
  await done(alice, "PATCH /prompts/alice/turned", { visibility: "private" });
  expect(await everybody()).toEqual([[], [], ["alice/turned"]]);
  const gone = await bob.request(`DELETE /makes/turning/prompts/${links[0].id}`);
  expect(codeOf(gone)).toEqual([404, "not_found"]);
  await alice.request("DELETE /prompts/alice/turned");
  expect(await everybody()).toEqual([[], [], []]);
});

test("moderators decide in place of an owner, and the audit log says so; others cannot", async () => {
  await publish("moderated");
  const { links } = await makeOf(bob, "moderated", linkTo("moderated"));
  const at = `/makes/moderated/prompts/${links[0].id}`;
  expect(codeOf(await bob.request(`POST ${at}/approve`))).toEqual([403, "forbidden"]);
  const linksFor = async (who: Person) => (await done(who, "GET /makes/moderated")).links.length;
  expect([await linksFor(mod), await linksFor(watcher)]).toEqual([1, 0]);
  await done(mod, `POST ${at}/approve`);
  expect(await linksFor(watcher)).toBe(1);
  for (const pinned of [true, false]) await done(mod, `POST ${at}/pin`, { pinned });
  const traces = await server.sql`
    select action from audit_log where actor_id = ${mod.id} and action like 'make.%' order by id desc limit 3`;
  expect(traces.map(({ action }) => action)).toEqual(["make.unpin", "make.pin", "make.approve"]);
});

test("a decision waits for a make that becomes a draft at that moment, and is refused then", async () => {
  await publish("withdrawn");
  const { links } = await makeOf(bob, "withdrawn", linkTo("withdrawn"));
  const answers = await server.atOnce(
    (sql) => sql`update makes set status = 'draft' where slug = 'withdrawn'`,
    [() => alice.request(`POST /makes/withdrawn/prompts/${links[0].id}/approve`)],
  );
  expect(answers.map(codeOf)).toEqual([[404, "not_found"]]);
});

test("a make whose prompt turns private at that moment is told to its owner alone", async () => {
  await publish("turning-private");
  await makeOf(bob, "told-late", { ...linkTo("turning-private"), publish: false });
  const publishing = () => bob.request("PATCH /makes/told-late", { body: { status: "published" } });
  await server.atOnce(
    (sql) => sql`update prompts set visibility = 'private' where slug = 'turning-private'`,
    [publishing],
  );
  expect(await heard()).toEqual(["make.linked → alice"]);
});

test("a comment on a make is told to who watches the first public prompt that it was made with", {
  tags: "long",
}, async () => {
  for (const slug of ["waiting", "secret-one", "first-public", "second-public"]) await publish(slug);
  const prompts = ["waiting", "secret-one", "first-public", "second-public"].flatMap(
    (slug) => linkTo(slug).prompts,
  );
  const { id, links } = await makeOf(bob, "discussed", { prompts });
  for (const link of links.slice(1)) await done(alice, `POST /makes/discussed/prompts/${link.id}/approve`);
  await done(alice, "PATCH /prompts/alice/secret-one", { visibility: "private" });
  const saying = (body: string) => ({ target: { type: "make", id: "discussed" }, body });
  const promptOf = async (comment: { id: string }) => {
    const [row] = await server.sql<{ slug: string | null }[]>`
      select p.slug from events e left join prompts p on p.id = e.prompt_id
      where e.name = 'comment.created' and convert_from(e.body, 'UTF8')::json #>> '{data,comment,id}' = ${comment.id}`;
    return row?.slug;
  };
  expect(await promptOf(await done(bob, "POST /comments", saying("It greets")))).toBe("first-public");
  await done(alice, "PATCH /prompts/alice/first-public", { visibility: "unlisted" });
  expect(await promptOf(await done(bob, "POST /comments", saying("Whom?")))).toBe("second-public");
  const meanwhile = await server.atOnce(
    (sql) => sql`update prompts set visibility = 'private' where slug = 'second-public'`,
    [() => selectMadeWith(server.context.sql, { id }) as Promise<never>],
  );
  expect(meanwhile).toEqual([null]);
});

test("a moderator links to no prompt that only a report shows", async () => {
  await publish("reported");
  await done(bob, "POST /reports", { target: { type: "prompt", id: "alice/reported" }, reason: "spam" });
  await done(alice, "PATCH /prompts/alice/reported", { visibility: "private" });
  await done(mod, "GET /prompts/alice/reported");
  const body = { title: "A bot", body: "It greets", ...linkTo("reported") };
  expect(codeOf(await mod.request("POST /makes", { body }))).toEqual([404, "not_found"]);
});

test("two decisions at once, and a pin of the seventh, are settled one after the other", async () => {
  await publish("races");
  const ats: string[] = [];
  for (let n = 0; n < 8; n++) {
    const { slug, links } = await makeOf(bob, `race-${n}`, linkTo("races"));
    ats.push(`/makes/${slug}/prompts/${links[0].id}`);
  }
  const [first = "", ...others] = ats;
  const decide = (at: string, verb: string, body = {}) => alice.request(`POST ${at}/${verb}`, { body });
  await Promise.all([
    decide(first, "approve"),
    decide(first, "reject"),
    decide(first, "approve"),
    mod.request(`POST ${first}/approve`),
  ]);
  const [row] = await server.sql<{ status: string; shown: boolean; makes: number }[]>`
    select l.status, l.is_shown as shown, (
      select coalesce(sum(delta), 0)::int from (
        select subject_id, name, delta from counter_changes union all select subject_id, name, value from counters) c
      where c.subject_id = l.prompt_id and c.name = 'makes') as makes
    from make_links l join makes k on k.id = l.make_id where k.slug = 'race-0'`;
  expect([row?.shown, row?.makes]).toEqual(row?.status === "approved" ? [true, 1] : [false, 0]);
  await Promise.all(others.map((at) => decide(at, "approve")));
  const pins = await server.atOnce(
    (sql) => sql`select from prompts where slug = 'races' for update`,
    others.map((at) => () => decide(at, "pin", { pinned: true })),
  );
  expect(pins.map(({ status, json }) => json.error?.code ?? status).sort()).toEqual([
    200,
    200,
    200,
    200,
    200,
    200,
    "pin_limit",
  ]);
  const gallery = await galleryOf("races");
  const pinned = pins.flatMap(({ status }, n) => (status === 200 ? [`race-${n + 1}`] : []));
  expect(gallery.slice(0, 6).sort()).toEqual(pinned);
  expect(codeOf(await decide(first, "reject"))).toEqual([200, undefined]);
  expect(codeOf(await decide(first, "pin", { pinned: true }))).toEqual([409, "link_not_approved"]);
});

test("a link against the end of a publication ends in no gallery", { tags: "long" }, async () => {
  await publish("ends");
  for (let n = 0; n < 8; n++) {
    const slug = `ending-${n}`;
    await makeOf(alice, slug);
    await Promise.all([
      alice.request(`POST /makes/${slug}/prompts`, { body: { prompt: "alice/ends" } }),
      alice.request(`PATCH /makes/${slug}`, { body: { status: "draft" } }),
    ]);
  }
  expect(await galleryOf("ends")).toEqual([]);
});

test("a prompt and a make that are changed at once do not wait for each other in a circle", {
  tags: "long",
}, async () => {
  await publish("circle");
  const { links } = await makeOf(bob, "circle", linkTo("circle"));
  const at = `/makes/circle/prompts/${links[0].id}`;
  const statuses = await Promise.all(
    Array.from({ length: 5 }, () => [
      alice.request(`POST ${at}/approve`),
      bob.request("PATCH /makes/circle", { body: { status: "draft" } }),
      alice.request("PATCH /prompts/alice/circle", { body: { visibility: "unlisted" } }),
      bob.request("PATCH /makes/circle", { body: { status: "published" } }),
      alice.request(`POST ${at}/reject`, { body: {} }),
      alice.request("PATCH /prompts/alice/circle", { body: { visibility: "public" } }),
    ]).flat(),
  );
  expect(statuses.filter(({ status }) => status >= 500)).toEqual([]);
});
