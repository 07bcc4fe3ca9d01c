import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";
import { applyContest } from "./apply.ts";
import { selectWritten } from "./apply.sql.ts";
import { disqualifyEntry } from "./operator.sql.ts";
import { newContest, putInto } from "./scenes.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let judge: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  judge = await server.join("judge");
});
afterAll(() => server.stop());

const make = (about: Parameters<typeof newContest>[1] = {}) => newContest({ server, owner: judge }, about);
const enter = (who: Person, slug: string, id: string, more: object = {}) =>
  who.request(`POST /contests/${slug}/entries`, { body: { type: "prompt", id, ...more } });
const codeOf = ({ status, json }: { status: number; json: any }) => [status, json?.error?.code];
const entriesOf = (who: Person | null, slug: string, query = "") =>
  itemsOf(who ?? server.nobody, `GET /contests/${slug}/entries${query}`);
const idsOf = (entries: { id: string }[]) => entries.map(({ id }) => id);

describe("the phase of a contest", () => {
  const at = (hour: number) => `2030-01-01T${String(hour).padStart(2, "0")}:00:00.000Z`;
  const statusAt = async (slug: string, time: string) => {
    await server.setClock(time);
    return (await server.anonymous(`GET /contests/${slug}`)).json.status;
  };
  const times = (
    opensAt: number,
    entriesCloseAt: number,
    votingClosesAt: number,
    judgingClosesAt: number,
  ) => ({
    opens_at: at(opensAt),
    entries_close_at: at(entriesCloseAt),
    voting_closes_at: at(votingClosesAt),
    judging_closes_at: at(judgingClosesAt),
  });

  test("follows its four times by the database's clock, to the millisecond, and equal times skip one", async () => {
    const [all, few] = [await make(), await make()];
    await server.sql`update contests set ${server.sql(times(1, 2, 3, 4))} where slug = ${all}`;
    await server.sql`update contests set ${server.sql(times(1, 2, 2, 2))} where slug = ${few}`;
    const seen = [];
    for (const hour of [0, 1, 2, 3])
      seen.push(
        await statusAt(all, at(hour + 1).replace("00:00.000", "00:00.000")),
        await statusAt(few, at(hour + 1)),
      );
    expect(seen).toEqual(["open", "open", "voting", "closed", "judging", "closed", "closed", "closed"]);
    expect(await statusAt(all, "2030-01-01T00:59:59.999Z")).toBe("closed");
    const next = await make();
    // Of those that opened at one time the last that was made is listed first, on whatever page.
    const closed = await itemsOf(server.nobody, "GET /contests?status=closed&limit=1");
    expect(closed.map(({ slug }) => slug)).toEqual([few, all]);
    await server.sql`update contests set ${server.sql(times(5, 6, 7, 8))} where slug = ${next}`;
    expect([await statusAt(next, "2030-01-01T04:59:59.999Z"), await statusAt(next, at(5))]).toEqual([
      "scheduled",
      "open",
    ]);
  });

  test("is what lists are filtered by", async () => {
    const slugs = async (status: string) =>
      (await itemsOf(server.nobody, `GET /contests?status=${status}`)).map(({ slug }) => slug);
    const slug = await make();
    for (const status of ["scheduled", "open", "voting", "judging", "closed"] as const) {
      await putInto(server.sql, slug, status);
      for (const other of ["scheduled", "open", "voting", "judging", "closed"])
        expect([other, (await slugs(other)).includes(slug)]).toEqual([other, other === status]);
    }
  });
});

describe("what can be entered", () => {
  test("is one's own, public, published, of a kind that the contest takes, and each only once", async () => {
    const slug = await make({ accepts: ["prompt"], kinds: ["text"], entriesPerUser: 1 });
    const files = [{ path: "SKILL.md", content: "---\nname: a-skill\ndescription: It helps\n---\nHelp" }];
    await publish(alice, "fits");
    await publish(alice, "fits-too");
    await publish(alice, "a-skill", { kind: "skill", files });
    await publish(alice, "hidden", { visibility: "private" });
    await publish(alice, "unlisted", { visibility: "unlisted" });
    await publish(alice, "draft", { publish: false });
    await publish(alice, "yanked");
    await expectDone(alice, "POST /prompts/alice/yanked/versions/1/yank", { reason: "Broken" });
    for (const title of ["a-bot", "a-deleted-bot"])
      await expectDone(alice, "POST /makes", { title, slug: title, body: "It", publish: true });
    await publish(alice, "deleted");
    for (const path of ["makes/a-deleted-bot", "prompts/alice/deleted"])
      await alice.request(`DELETE /${path}`);
    // What is in another contest counts for that one.
    expect((await enter(alice, await make(), "alice/fits-too")).status).toBe(201);
    const reasons = async () => {
      const items = await itemsOf(alice, `GET /contests/${slug}/eligible?limit=2`);
      return Object.fromEntries(
        items.map(({ target, entered, reason }) => [target.slug, entered ? "entered" : reason]),
      );
    };
    const others = {
      "a-skill": "kind_not_accepted",
      hidden: "not_public",
      unlisted: "not_public",
      draft: "not_published",
      yanked: "not_published",
      "a-bot": "type_not_accepted",
    };
    expect(await reasons()).toEqual({ ...others, fits: null, "fits-too": null });
    for (const id of ["a-skill", "hidden", "unlisted", "draft"])
      expect([id, ...codeOf(await enter(alice, slug, `alice/${id}`))]).toEqual([id, 422, "not_eligible"]);
    expect(codeOf(await enter(alice, slug, "a-bot", { type: "make" }))).toEqual([422, "not_eligible"]);
    const { status, json } = await enter(bob, slug, "alice/fits");
    expect([status, json.error]).toEqual([
      422,
      expect.objectContaining({
        code: "not_eligible",
        message: expect.stringContaining("only what is your own"),
      }),
    ]);
    expect(codeOf(await enter(bob, slug, "alice/hidden"))).toEqual([404, "not_found"]);
    const { id } = (await enter(alice, slug, "alice/fits")).json;
    expect(codeOf(await enter(alice, slug, "alice/fits"))).toEqual([409, "entry_exists"]);
    expect(codeOf(await enter(alice, slug, "alice/fits-too"))).toEqual([409, "entry_limit"]);
    // What was made at one time is on no two pages either, and on one.
    for (const table of ["prompts", "makes"])
      await server.sql`update ${server.sql(table)} set created_at = clock() where owner_id = ${alice.id}`;
    expect(await reasons()).toEqual({ ...others, fits: "entered", "fits-too": "entry_limit" });
    await publish(bob, "stays");
    await enter(bob, slug, "bob/stays");
    expect((await alice.request(`DELETE /contests/${slug}/entries/${id}`)).status).toBe(204);
    expect(await entriesOf(null, slug)).toHaveLength(1);
    const audited = await server.sql`select action from audit_log where target = ${id}`;
    expect(audited).toEqual([{ action: "contest.withdraw" }]);
    expect((await enter(alice, slug, "alice/fits-too")).status).toBe(201);
    expect(codeOf(await alice.request(`DELETE /contests/${slug}/entries/${id}`))).toEqual([404, "not_found"]);
  });

  test("is at most as many as the contest says, also if they are entered at once", async () => {
    const slug = await make({ entriesPerUser: 2 });
    for (const n of [1, 2, 3, 4]) await publish(bob, `rush-${n}`);
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${bob.id} for update`,
      [1, 2, 3, 4].map((n) => () => enter(bob, slug, `bob/rush-${n}`)),
    );
    expect(answers.map((answer) => codeOf(answer)[1] ?? answer.status).sort()).toEqual([
      201,
      201,
      "entry_limit",
      "entry_limit",
    ]);
  });

  test("is entered only while the contest is open, and withdrawn until it closes", async () => {
    const slug = await make();
    await publish(alice, "timely");
    for (const status of ["scheduled", "voting", "judging", "closed"] as const) {
      const other = await make();
      await putInto(server.sql, other, status);
      expect([status, ...codeOf(await enter(alice, other, "alice/timely"))]).toEqual([
        status,
        409,
        "contest_not_open",
      ]);
    }
    const { id } = (await enter(alice, slug, "alice/timely")).json;
    await putInto(server.sql, slug, "closed");
    const path = `/contests/${slug}/entries/${id}`;
    expect(codeOf(await alice.request(`DELETE ${path}`))).toEqual([409, "contest_closed"]);
    expect(codeOf(await bob.request(`DELETE ${path}`))).toEqual([403, "forbidden"]);
    expect(codeOf(await bob.request(`POST ${path}/vote`))).toEqual([409, "contest_not_voting"]);
    const body = { scores: { quality: 1 } };
    expect(codeOf(await judge.request(`PUT ${path}/score`, { body }))).toEqual([409, "contest_not_judging"]);
  });
});

test("the texts of a contest that an older renderer rendered are rendered anew", async () => {
  const slug = await make();
  const html = async () => (await server.anonymous(`GET /contests/${slug}`)).json.html;
  const before = await html();
  await server.sql`
    update contests set description_html = 'Old', rules_html = 'Old', prizes_html = 'Old', description_renderer = 0,
      rules_renderer = 0, prizes_renderer = 0 where slug = ${slug}`;
  await server.workOff();
  expect(await html()).toEqual(before);
  expect(before.prizes).toBe("<p>Fame.</p>\n");
});

test("a contest is changed by its file only as far as its phase allows, also one that begins meanwhile", async () => {
  const slug = await make();
  const { contest } = await selectWritten(server.sql, slug);
  const file = { ...contest!.written, votesPerUser: 9 };
  const apply = () => server.sql.begin((sql) => applyContest(sql, file)).catch(({ message }) => message);
  const [said] = await server.atOnce((sql) => putInto(sql, slug, "voting"), [apply as () => Promise<any>]);
  expect(said).toContain("votesPerUser stays as it is from entriesCloseAt on");
});

describe("an entry", () => {
  test("freezes the version that is the latest then", async () => {
    const slug = await make();
    await publish(alice, "frozen", { versions: 2 });
    const entry = (await enter(alice, slug, "alice/frozen", { statement: "Look" })).json;
    await commit(alice, "frozen", "Later");
    expect(entry).toMatchObject({
      type: "prompt",
      versionNumber: 2,
      statement: "Look",
      viewer: { isOwn: true, voted: false },
    });
    const [listed] = await entriesOf(null, slug);
    expect(listed).toMatchObject({
      id: entry.id,
      versionNumber: 2,
      target: { latestVersion: 3 },
      votes: null,
    });
    expect(listed.viewer).toBeUndefined();
  });

  test("is not shown to those who cannot find its work, and is withdrawn with its votes when that is deleted", async () => {
    const slug = await make({ votesPerUser: 1 });
    await publish(alice, "fleeting");
    const { id } = (await enter(alice, slug, "alice/fleeting")).json;
    await putInto(server.sql, slug, "voting");
    const vote = () => bob.request(`POST /contests/${slug}/entries/${id}/vote`);
    expect((await vote()).json).toEqual({ voted: true, votesLeft: 0 });
    const shown = async () =>
      Promise.all([bob, null, alice].map(async (who) => (await entriesOf(who, slug)).length));
    for (const [visibility, seen, status] of [
      ["unlisted", [0, 0, 1], 200],
      ["private", [0, 0, 1], 404],
      ["public", [1, 1, 1], 200],
    ] as const) {
      await expectDone(alice, "PATCH /prompts/alice/fleeting", { visibility });
      expect([visibility, await shown(), (await vote()).status]).toEqual([visibility, seen, status]);
    }
    await alice.request("DELETE /prompts/alice/fleeting");
    expect([await shown(), (await vote()).status]).toEqual([[0, 0, 0], 404]);
    expect(await itemsOf(alice, `GET /contests/${slug}/entries?mine=true`)).toEqual([]);
    const [left] = await server.sql`select count(*)::int as votes from contest_votes where entry_id = ${id}`;
    expect(left?.["votes"]).toBe(0);
  });

  test("that is a make is shown to its entrant alone once it is disqualified", async () => {
    const slug = await make();
    const { slug: id } = await expectDone(alice, "POST /makes", {
      title: "Copied",
      body: "It",
      publish: true,
    });
    const entry = await expectDone(alice, `POST /contests/${slug}/entries`, { type: "make", id });
    const [contest] = await server.sql<{ id: string }[]>`select id from contests where slug = ${slug}`;
    const about = { contestId: contest?.id ?? "", entryId: entry.id, reason: "Copied" };
    await server.sql.begin((sql) => disqualifyEntry(sql, about));
    for (const [who, count] of [
      [alice, 1],
      [bob, 0],
    ] as const)
      expect(await entriesOf(who, slug)).toHaveLength(count);
  });

  test("shows nobody a total, a rank or others' scores before the end, and a judge what the judge gave", async () => {
    const other = await server.join("second-judge");
    const slug = await make({ judges: ["judge", "second-judge"] });
    await publish(alice, "judged");
    const { id } = (await enter(alice, slug, "alice/judged")).json;
    await putInto(server.sql, slug, "voting");
    const path = `/contests/${slug}/entries/${id}`;
    await expectDone(bob, `POST ${path}/vote`);
    const score = (who: Person, quality: number) =>
      expectDone(who, `PUT ${path}/score`, { scores: { quality }, comment: "Fine" });
    await score(judge, 3);
    expect(await score(judge, 7.5)).toMatchObject({
      entryId: id,
      scores: { quality: 7.5 },
      total: 7.5,
      comment: "Fine",
    });
    await score(other, 9);
    const admin = await server.join("root", { role: "admin" });
    const voted = async (who: Person) => (await entriesOf(who, slug))[0].viewer.voted;
    expect([await voted(bob), await voted(alice)]).toEqual([true, false]);
    const seen = async (who: Person | null) => {
      const [{ votes, score, rank, scores }] = await entriesOf(who, slug);
      return [votes, score, rank, scores.map(({ total }: { total: number }) => total)];
    };
    for (const phase of ["voting", "judging"] as const) {
      await putInto(server.sql, slug, phase);
      for (const who of [alice, bob, admin, null]) expect(await seen(who)).toEqual([null, null, null, []]);
      expect([await seen(judge), await seen(other)]).toEqual([
        [null, null, null, [7.5]],
        [null, null, null, [9]],
      ]);
      expect((await bob.request(`GET /contests/${slug}`)).json.winners).toEqual([]);
      const early = await bob.request(`GET /contests/${slug}/entries?sort=rank`);
      expect([early.status, early.json.error.details[0].path]).toEqual([422, "/sort"]);
    }
    await putInto(server.sql, slug, "closed");
    for (const who of [alice, null]) expect(await seen(who)).toEqual([1, 8.775, 1, [7.5, 9]]);
  });

  test("is scored by judges alone, by each criterion, and never by its entrant", async () => {
    const slug = await make({
      criteria: [
        { key: "use", label: "Use", weight: 3 },
        { key: "style", label: "Style", weight: 1 },
      ],
    });
    await publish(alice, "measured");
    await publish(judge, "of-the-judge");
    const [path, own] = [
      `/contests/${slug}/entries/${(await enter(alice, slug, "alice/measured")).json.id}`,
      `/contests/${slug}/entries/${(await enter(judge, slug, "judge/of-the-judge")).json.id}`,
    ];
    await putInto(server.sql, slug, "judging");
    const score = (who: Person, at: string, scores: object) =>
      who.request(`PUT ${at}/score`, { body: { scores } });
    // The only one of the judge's, in whatever contest.
    expect((await entriesOf(judge, slug, "?mine=true")).map(({ id }) => own.endsWith(id))).toEqual([true]);
    expect((await score(judge, path, { use: 10, style: 5 })).json.total).toBe(8.75);
    expect(codeOf(await score(judge, own, { use: 10, style: 5 }))).toEqual([403, "own_entry"]);
    expect(codeOf(await score(bob, path, { use: 10, style: 5 }))).toEqual([403, "forbidden"]);
    expect(codeOf(await score(alice, path, { use: 10, style: 5 }))).toEqual([403, "own_entry"]);
    for (const [scores, at] of [
      [{ use: 1 }, "/scores/style"],
      [{ use: 1, style: 1, looks: 1 }, "/scores/looks"],
      [{ use: 11, style: 1 }, "/scores/use"],
      [{ use: -1, style: 1 }, "/scores/use"],
    ] as const) {
      const { status, json } = await score(judge, path, scores);
      expect([status, json.error.details[0].path]).toEqual([422, at]);
    }
  });
});

describe("a list of entries", () => {
  test("has an order of its own for each viewer, each day and each contest, which stays over pages and is whole", async () => {
    const slug = await make();
    for (let n = 0; n < 8; n++) {
      await publish(alice, `listed-${n}`);
      await enter(alice, slug, `alice/listed-${n}`);
    }
    const newest = idsOf(await entriesOf(bob, slug, "?limit=3"));
    expect(newest).toEqual([...newest].sort().reverse());
    expect(newest).toHaveLength(8);
    expect(idsOf(await entriesOf(alice, slug, "?mine=true&limit=5"))).toEqual(newest);
    const drawn = async (who: Person | null) => idsOf(await entriesOf(who, slug, "?sort=random&limit=3"));
    const [ofBob, again, ofJudge, ofNobody] = [
      await drawn(bob),
      await drawn(bob),
      await drawn(judge),
      await drawn(null),
    ];
    expect(again).toEqual(ofBob);
    for (const order of [ofBob, ofJudge, ofNobody]) expect([...order].sort()).toEqual([...newest].sort());
    expect(new Set([ofBob, ofJudge, ofNobody, newest].map(String)).size).toBe(4);
    // A day that ends between two pages changes nothing; the next list is of its day.
    const route = `GET /contests/${slug}/entries?sort=random&limit=4`;
    await server.setClock("2031-05-05T23:59:59.000Z");
    const before = await drawn(null);
    const first = (await server.anonymous(route)).json;
    await server.setClock("2031-05-06T00:00:01.000Z");
    const second = (await server.anonymous(`${route}&cursor=${first.nextCursor}`)).json;
    expect(idsOf([...first.items, ...second.items])).toEqual(before);
    expect(await drawn(null)).not.toEqual(before);
  });
});
