import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, environmentOf, openCommandLine } from "../../test/commands.ts";
import { type Person, startTestServer, type TestServer } from "../../test/harness.ts";
import { publish } from "../../test/prompts.ts";
import { itemsOf } from "../../test/requests.ts";
import { expectDone } from "../../test/scenes.ts";
import { putInto } from "../groups/contests/scenes.ts";

let server: TestServer;
let commands: CommandLine;
let folder: string;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  commands = openCommandLine(environmentOf(server.database));
  folder = await mkdtemp(join(tmpdir(), "promptreg-contests-"));
  alice = await server.join("alice");
  bob = await server.join("bob");
  await server.setClock("2030-01-01T00:00:00.000Z");
});
afterAll(async () => {
  commands.close();
  await rm(folder, { recursive: true });
  await server.stop();
});

const file = {
  slug: "winter",
  title: "Winter",
  description: "Show **it**",
  opensAt: "2030-01-02T00:00:00Z",
  entriesCloseAt: "2030-01-03T00:00:00Z",
  votingClosesAt: "2030-01-04T00:00:00+00:00",
  judgingClosesAt: "2030-01-05T00:00:00Z",
  judges: ["alice"],
  criteria: [{ key: "use", label: "Use", weight: 1 }],
};
async function apply(changes: object = {}): Promise<string> {
  const path = join(folder, "contest.json");
  await writeFile(path, JSON.stringify({ ...file, ...changes }));
  return (await commands.run("contest", "apply", path)).stderr.trim().replace(path, "contest.json");
}
const run = (...args: string[]) => commands.run("contest", ...args);

/** A contest that takes votes, with an entry of alice's and one of bob's. */
async function voting(slug: string): Promise<string[]> {
  await apply({ slug });
  await putInto(server.sql, slug, "open");
  const ids = [];
  for (const who of [alice, bob]) {
    await publish(who, `of-${slug}`);
    const body = { type: "prompt", id: `${who.handle}/of-${slug}` };
    ids.push((await expectDone(who, `POST /contests/${slug}/entries`, body)).id);
  }
  await putInto(server.sql, slug, "voting");
  return ids;
}

describe("promptreg-server contest apply", () => {
  test("makes a contest of a file, with defaults, and changes what may change", async () => {
    expect(await apply()).toBe("Created the contest winter.");
    expect(await apply()).toBe("winter is so already.");
    const [written] = await server.sql`select revision::int from contests where slug = 'winter'`;
    expect(written).toEqual({ revision: 1 });
    expect((await server.anonymous("GET /contests/winter")).json).toMatchObject({
      ...file,
      status: "scheduled",
      opensAt: "2030-01-02T00:00:00.000Z",
      entriesCloseAt: "2030-01-03T00:00:00.000Z",
      votingClosesAt: "2030-01-04T00:00:00.000Z",
      judgingClosesAt: "2030-01-05T00:00:00.000Z",
      html: { description: "<p>Show <strong>it</strong></p>\n", rules: "", prizes: "" },
      judges: [{ handle: "alice" }],
      accepts: ["prompt", "make"],
      kinds: null,
      votesPerUser: 3,
      entriesPerUser: 1,
      judgeWeight: 0.7,
      winners: [],
    });
    await apply({ slug: "summer", title: "Summer" });
    expect(await apply({ title: "Cold", kinds: ["text"], judges: ["bob", "alice"] })).toBe(
      "Changed title, kinds, judges of winter.",
    );
    const { json } = await server.anonymous("GET /contests/winter");
    expect(json.judges.map(({ handle }: Person) => handle)).toEqual(["bob", "alice"]);
    await apply();
    expect((await server.anonymous("GET /contests/winter")).json.judges).toMatchObject([{ handle: "alice" }]);
    // Another one stays as it is.
    expect((await server.anonymous("GET /contests/summer")).json).toMatchObject({
      title: "Summer",
      judges: [{ handle: "alice" }],
    });
    const rows = await server.sql`select action from audit_log where target = ${json.id} order by id`;
    expect(rows.map(({ action }) => action)).toEqual(["contest.create", "contest.update", "contest.update"]);
  });

  test("gives all weight to votes where nobody judges", async () => {
    await apply({ slug: "voted", judges: [], criteria: [] });
    expect((await server.anonymous("GET /contests/voted")).json.judgeWeight).toBe(0);
  });

  test("refuses what is no contest, and names the field", async () => {
    const refusals = [
      [{ slug: "Not a slug" }, "slug: "],
      [{ opensAt: "tomorrow" }, "opensAt: must be a time with its offset, such as 2026-11-20T09:30:00Z."],
      [{ opensAt: undefined }, "opensAt: is missing."],
      [{ votingClosesAt: "2030-01-02T12:00:00Z" }, "votingClosesAt: must not be before entriesCloseAt"],
      [{ criteria: [] }, "criteria: must name what the judges score"],
      [{ judges: ["alice", "alice"] }, "judges: must name each only once"],
      [{ judgeWeight: 1.1 }, "judgeWeight: "],
      [{ votes: 3 }, "votes"],
      [{ judges: ["nobody-there"] }, "judges: there is no account nobody-there"],
      [
        {
          slug: "old",
          opensAt: "2029-01-01T00:00:00Z",
          entriesCloseAt: "2029-01-01T00:00:00Z",
          votingClosesAt: "2029-01-01T00:00:00Z",
          judgingClosesAt: "2030-01-01T00:00:00Z",
        },
        "judgingClosesAt is past",
      ],
    ] as const;
    for (const [changes, said] of refusals) expect(await apply(changes)).toContain(said);
    for (const slug of ["none-such", "No slug"])
      expect(await run("show", slug)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`No contest ${slug}.`),
      });
    const none = join(folder, "none.json");
    expect((await run("apply", none)).stderr).toContain(`There is no file ${none}.`);
    await writeFile(none, "{");
    expect((await run("apply", none)).stderr).toContain(`${none} is no JSON: `);
  });

  test("keeps what people act on already, and names each field that would change it", {
    tags: "long",
  }, async () => {
    await apply({ slug: "running" });
    const refused = async (changes: object) =>
      [
        ...(await apply({ slug: "running", ...changes })).matchAll(/(\w+) (?:is past|stays|cannot be put)/g),
      ].map(([, field]) => field);
    const changes = {
      accepts: ["make"],
      entriesPerUser: 2,
      votesPerUser: 4,
      judgeWeight: 0.5,
      criteria: [{ key: "use", label: "Use", weight: 2 }],
      judges: ["alice", "bob"],
    };
    const fields = async (time: string) => {
      await server.setClock(time);
      const all = await refused({
        ...changes,
        opensAt: "2030-01-02T01:00:00Z",
        judgingClosesAt: "2030-01-07T00:00:00Z",
      });
      return all.sort().join(" ");
    };
    expect(await fields("2030-01-02T00:00:00.000Z")).toBe("accepts entriesPerUser opensAt");
    await server.setClock("2030-01-02T12:00:00.000Z");
    expect(await apply({ slug: "running", entriesCloseAt: "2030-01-02T11:00:00Z" })).toContain(
      "entriesCloseAt cannot be put into the past",
    );
    expect(await refused({ entriesCloseAt: "2030-01-02T12:00:00Z", accepts: ["make"] })).toEqual(["accepts"]);
    expect(await fields("2030-01-03T00:00:00.000Z")).toBe(
      "accepts criteria entriesPerUser judgeWeight opensAt votesPerUser",
    );
    expect(
      await refused({ votingClosesAt: "2030-01-03T00:00:00Z", entriesCloseAt: "2030-01-03T00:00:00Z" }),
    ).toEqual([]);
    expect(await fields("2030-01-05T00:00:00.000Z")).toContain("judges judgingClosesAt");
    expect(await apply({ slug: "running", prizes: "Fame" })).toContain(
      "prizes stays as it is from opensAt on",
    );
    expect(await apply({ slug: "running", rules: "Be kind" })).toBe(
      "promptreg-server: Nothing was changed, since this cannot change any more: votingClosesAt is past.",
    );
    expect(await apply({ slug: "running", rules: "Be kind", votingClosesAt: "2030-01-03T00:00:00Z" })).toBe(
      "Changed rules of running.",
    );
    expect((await server.anonymous("GET /contests/running")).json.rules).toBe("Be kind");
    await server.setClock("2030-01-01T00:00:00.000Z");
  });
});

describe("promptreg-server contest audit", () => {
  test("lists who voted, by the age of the account, with equal addresses, which it forgets in time", {
    tags: "long",
  }, async () => {
    const [entry = "", other = ""] = await voting("audited");
    for (const [handle, days] of [
      ["old", 100],
      ["young", 1],
    ] as const) {
      const voter = await server.join(handle);
      await server.sql`update users set created_at = clock() - make_interval(days => ${days}) where id = ${voter.id}`;
      for (const id of [entry, other]) await expectDone(voter, `POST /contests/audited/entries/${id}/vote`);
    }
    const voters = async () => JSON.parse((await run("audit", "audited", entry, "--json")).stdout);
    const [young, old] = await voters();
    expect([young, old]).toMatchObject([
      { voter: "young", daysOld: 1, sameAddress: 2, address: expect.stringMatching(/^[0-9a-f]{12}$/) },
      { voter: "old", daysOld: 100, sameAddress: 2 },
    ]);
    expect(old.address).toBe(young.address);
    await putInto(server.sql, "audited", "closed");
    await server.workOff();
    await server.setClock("2030-01-31T00:00:00.000Z");
    await server.workOff();
    expect((await voters())[0].address).toBe(young.address);
    await server.setClock("2030-01-31T00:00:00.001Z");
    const stored = async () => {
      await server.workOff();
      return server.sql`select xmin::text from contest_votes order by user_id`;
    };
    const forgotten = await stored();
    expect(await voters()).toMatchObject([{ address: null, sameAddress: null }, { address: null }]);
    expect(await stored()).toEqual(forgotten);
    expect((await run("audit", "audited", "ent_none")).stderr).toContain("No entry ent_none in audited.");
    await server.setClock("2030-01-01T00:00:00.000Z");
  });
});

describe("promptreg-server contest disqualify", () => {
  const ranks = async (slug: string) =>
    (await itemsOf(server.nobody, `GET /contests/${slug}/entries?sort=rank`)).map(({ id, rank }) => [
      id,
      rank,
    ]);

  test("before the end hides an entry, frees its votes and leaves it out", async () => {
    const [first = "", second = ""] = await voting("early");
    const carol = await server.join("carol");
    await expectDone(carol, `POST /contests/early/entries/${first}/vote`);
    const unsaid = await run("disqualify", "early", first, "--reason", " ");
    expect([unsaid.code, unsaid.stderr]).toEqual([1, expect.stringContaining("--reason must say why")]);
    await apply({ slug: "other" });
    const bot = { title: "A bot", slug: "shown-bot", body: "It", publish: true };
    const { id: makeId } = await expectDone(alice, "POST /makes", bot);
    await server.sql`
      insert into contest_entries (contest_id, owner_id, target_id)
      select id, ${alice.id}, ${makeId} from contests where slug = 'other'`;
    expect(JSON.parse((await run("show", "other", "--json")).stdout)).toMatchObject([{ work: "shown-bot" }]);
    expect((await run("disqualify", "other", first, "--reason", "Copied")).stderr).toContain(
      `No entry ${first} in other.`,
    );
    expect((await run("disqualify", "early", first, "--reason", "Copied")).stderr).toContain(
      "It will have no place",
    );
    expect((await run("disqualify", "early", first, "--reason", "Copied")).stderr).toContain(
      "is disqualified already",
    );
    expect((await carol.request(`POST /contests/early/entries/${first}/vote`)).status).toBe(404);
    expect(await expectDone(carol, `POST /contests/early/entries/${second}/vote`)).toEqual({
      voted: true,
      votesLeft: 2,
    });
    const audited = await server.sql`select action, data from audit_log where target = ${first}`;
    expect(audited).toMatchObject([{ action: "contest.disqualify", data: { reason: "Copied" } }]);
    expect(await itemsOf(carol, "GET /contests/early/entries")).toHaveLength(1);
    expect(await itemsOf(alice, "GET /contests/early/entries?mine=true")).toHaveLength(1);
    // Nor is it free to be entered anew.
    expect((await alice.request(`DELETE /contests/early/entries/${first}`)).json.error.code).toBe(
      "forbidden",
    );
    await putInto(server.sql, "early", "closed");
    expect(await ranks("early")).toEqual([[second, 1]]);
  });

  test("after the end stores another result, which says why, and tells those whom it concerns", {
    tags: "long",
  }, async () => {
    const [first = "", second = ""] = await voting("late");
    const [dora, emil, fred] = [
      await server.join("dora"),
      await server.join("emil"),
      await server.join("fred"),
    ];
    for (const [who, entry] of [
      [dora, first],
      [dora, second],
      [emil, first],
      [fred, second],
    ] as const)
      await expectDone(who, `POST /contests/late/entries/${entry}/vote`);
    await server.sql`update users set suspended_at = clock() - interval '1 day' where id = ${fred.id}`;
    await expectDone(alice, `PUT /contests/late/entries/${second}/score`, { scores: { use: 0 } });
    const given: { entry: string; votes: number; scoredBy: number }[] = JSON.parse(
      (await run("show", "late", "--json")).stdout,
    );
    expect(Object.fromEntries(given.map(({ entry, votes, scoredBy }) => [entry, [votes, scoredBy]]))).toEqual(
      {
        [first]: [2, 0],
        [second]: [2, 1],
      },
    );
    await putInto(server.sql, "late", "closed");
    expect(await ranks("late")).toEqual([
      [first, 1],
      [second, 2],
    ]);
    expect((await run("disqualify", "late", first, "--reason", "Bought votes")).stderr).toBe(
      `Disqualified ${first}. late has another result, without it.\n`,
    );
    expect(await ranks("late")).toEqual([[second, 1]]);
    const shown = await run("show", "late", "--json");
    expect(shown.stderr).toMatch(/^Result 1, \S+Z\nResult 2, \S+Z: Bought votes\n$/);
    expect(JSON.parse(shown.stdout)).toMatchObject([
      // As the result counted them: without those of who was suspended.
      { entry: second, entrant: "bob", work: "bob/of-late", rank: 1, votes: 1 },
      { entry: first, entrant: "alice", rank: null, votes: 2, disqualified: expect.any(String) },
    ]);
    const listed = JSON.parse((await run("list", "--json")).stdout);
    const slugsOf = (contests: { slug: string }[]) => contests.map(({ slug }) => slug);
    expect(slugsOf(listed)).toEqual(slugsOf(await itemsOf(server.nobody, "GET /contests")));
    expect(listed.filter(({ slug }: { slug: string }) => ["winter", "late"].includes(slug))).toMatchObject([
      { slug: "winter", entries: 0 },
      { slug: "late", status: "closed", entries: 2 },
    ]);
    expect((await run("list")).stdout).toMatch(/^late +closed /m);
    await server.workOff();
    const told = async (who: Person) =>
      (await itemsOf(who, "GET /notifications?type=contest.closed"))
        .filter(({ target }) => target.id === "late")
        .map(({ title, body }) => [title, body])
        // All at one time: the clock stands.
        .sort();
    const closed = "The results are there: Winter";
    expect(await told(alice)).toEqual([
      ["You won place 1 of a contest", closed],
      ["Your entry in a contest is disqualified", "Winter: Bought votes"],
    ]);
    expect(await told(bob)).toEqual([
      ["You won place 1 of a contest", "An entry was disqualified, so the results changed: Winter"],
      ["You won place 2 of a contest", closed],
    ]);
  });
});
