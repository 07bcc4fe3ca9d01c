import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";
import { setReadOnly } from "../../../test/read-only.ts";
import { expectDone } from "../../../test/scenes.ts";
import { Draw } from "../../../test/seed/draw.ts";
import { disqualifyEntry } from "./operator.sql.ts";
import { newContest, putInto } from "./scenes.ts";
import { settleDue } from "./settle.ts";

let server: TestServer;
let judges: Person[];
let voters: Person[];
let prompts = 0;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  judges = await Promise.all(["judge-a", "judge-b", "judge-c"].map((handle) => server.join(handle)));
  voters = await Promise.all(Array.from({ length: 6 }, (_, n) => server.join(`voter-${n}`)));
});
afterAll(() => server.stop());

interface Entered {
  /** The path of the entry. */
  path: string;
  id: string;
  who: Person;
  ref: string;
}

/** A contest with an entry of each of these people, in this order, that takes votes and scores. */
async function contestOf(
  people: readonly Person[],
  about: Parameters<typeof newContest>[1] = {},
): Promise<{ slug: string; entries: Entered[] }> {
  const handles = judges.map(({ handle }) => handle);
  const slug = await newContest(
    { server, owner: judges[0]! },
    { judges: handles, votesPerUser: 20, ...about },
  );
  const entries: Entered[] = [];
  for (const who of people) {
    const ref = `${who.handle}/work-${++prompts}`;
    await publish(who, ref.split("/")[1] ?? "");
    const { id } = await expectDone(who, `POST /contests/${slug}/entries`, { type: "prompt", id: ref });
    entries.push({ path: `/contests/${slug}/entries/${id}`, id, who, ref });
  }
  await putInto(server.sql, slug, "voting");
  return { slug, entries };
}
const people = (...handles: string[]) => Promise.all(handles.map((handle) => server.join(handle)));
const voteFor = async ({ path }: Entered, ...who: Person[]) => {
  for (const one of who) await expectDone(one, `POST ${path}/vote`);
};
const score = (judge: Person | undefined, { path }: Entered, scores: object) =>
  expectDone(judge!, `PUT ${path}/score`, { scores });
const close = (slug: string) => putInto(server.sql, slug, "closed");
/** The result: each entry with its rank, votes and score. */
const resultOf = async (slug: string, entries: readonly Entered[]) => {
  const listed = await itemsOf(judges[0]!, `GET /contests/${slug}/entries?sort=rank&limit=2`);
  return listed.map(({ id, rank, votes, score }) => [
    entries.findIndex((one) => one.id === id),
    rank,
    votes,
    score,
  ]);
};
const storedOf = (slug: string) => server.sql`
  select r.n, r.reason, count(p.*)::int as places from contests c join contest_results r on r.contest_id = c.id
    left join contest_places p on p.contest_id = c.id and p.n = r.n
  where c.slug = ${slug} group by r.n, r.reason order by r.n`;

describe("a result", () => {
  test("is what one computes by hand", async () => {
    const four = await people("ann", "ben", "cat", "dan");
    const criteria = [
      { key: "use", label: "Use", weight: 3 },
      { key: "style", label: "Style", weight: 1 },
    ];
    const { slug, entries } = await contestOf(four, { criteria, judgeWeight: 0.6 });
    const [ann, ben, cat, dan] = entries as [Entered, Entered, Entered, Entered];
    // Totals: ann (3·8 + 4) / 4 = 7 and (3·10 + 6) / 4 = 9, mean 8; ben (3·4 + 8) / 4 = 5; cat nobody; dan 10.
    await score(judges[0], ann, { use: 8, style: 4 });
    await score(judges[1], ann, { use: 10, style: 6 });
    await score(judges[0], ben, { use: 4, style: 8 });
    await score(judges[1], dan, { use: 10, style: 10 });
    // Votes: ann 1, ben 4, cat 2, dan none. The best has 4.
    await voteFor(ann, voters[0]!);
    await voteFor(ben, ...voters.slice(0, 4));
    await voteFor(cat, ...voters.slice(0, 2));
    await close(slug);
    const { winners } = (await server.anonymous(`GET /contests/${slug}`)).json;
    expect(await resultOf(slug, entries)).toEqual([
      [1, 1, 4, 7], // 0.6 · 5 + 0.4 · 10 · 4/4
      [3, 2, 0, 6], // 0.6 · 10, entered after
      [0, 3, 1, 5.8], // 0.6 · 8 + 0.4 · 10 · 1/4
      [2, 4, 2, 2], // 0.4 · 10 · 2/4
    ]);
    expect(winners.map(({ id, rank }: { id: string; rank: number }) => [id, rank])).toEqual([
      [ben.id, 1],
      [dan.id, 2],
      [ann.id, 3],
    ]);
  });

  test("is to the last digit what a few other lines compute of any votes and scores, also without the best", {
    tags: "long",
  }, async () => {
    const draw = new Draw(8, 1);
    const weights = { use: 3, style: 2, wit: 2 };
    const { slug, entries } = await contestOf(await people("e-1", "e-2", "e-3", "e-4", "e-5"), {
      judgeWeight: 0.65,
      criteria: Object.entries(weights).map(([key, weight]) => ({ key, label: key, weight })),
    });
    const votes = entries.map(() => 0);
    const judged = entries.map(() => ({ judges: 0, tenths: 0 }));
    for (const [nth, entry] of entries.entries()) {
      for (const voter of voters) {
        if (!draw.happens(0.5)) continue;
        await voteFor(entry, voter);
        votes[nth]! += 1;
      }
      for (const judge of judges) {
        if (!draw.happens(0.8)) continue;
        const [use, style, wit] = [draw.below(101), draw.below(101), draw.below(101)];
        await score(judge, entry, { use: use / 10, style: style / 10, wit: wit / 10 });
        judged[nth]!.judges += 1;
        judged[nth]!.tenths += 3 * use + 2 * style + 2 * wit;
      }
    }
    await close(slug);
    /** Of these entries, in whole numbers: nothing is rounded before the end. */
    const expected = (competing: number[]) => {
      const most = Math.max(...competing.map((nth) => votes[nth]!));
      const scoreOf = (nth: number) => {
        const share = 70 * Math.max(1, judged[nth]!.judges);
        const hundredths = 65 * judged[nth]!.tenths * most + 35 * 10 * votes[nth]! * share;
        return Math.floor((100 * hundredths) / (share * most) + 0.5) / 10_000;
      };
      return competing
        .map((nth) => [nth, votes[nth]!, scoreOf(nth)] as const)
        .sort(([a, , one], [b, , other]) => other - one || a - b)
        .map(([nth, count, total], place) => [nth, place + 1, count, total]);
    };
    const all = await resultOf(slug, entries);
    expect(all).toEqual(expected([0, 1, 2, 3, 4]));
    const [best, next, ...others] = all.map(([nth]) => Number(nth));
    const [contest] = await server.sql<{ id: string }[]>`select id from contests where slug = ${slug}`;
    const disqualify = async (nth: number | undefined) => {
      const out = { contestId: contest!.id, entryId: entries[nth!]!.id, reason: "Bought votes" };
      await server.sql.begin((sql) => disqualifyEntry(sql, out));
      const { winners } = (await server.anonymous(`GET /contests/${slug}`)).json;
      return winners.map(({ id }: { id: string }) => entries.findIndex((one) => one.id === id));
    };
    expect(await disqualify(best)).toEqual([next, ...others.slice(0, 2)]);
    expect(await resultOf(slug, entries)).toEqual(expected([0, 1, 2, 3, 4].filter((nth) => nth !== best)));
    await server.workOff();
    const rest = expected(others).map(([nth]) => nth);
    expect(await disqualify(next)).toEqual(rest);
    // Only the result before is compared: its entrant is told, and who has another place among the best than there.
    const moved = rest.filter((nth, at) => nth !== [next, ...others][at]);
    const told = await server.sql<{ userId: string }[]>`
      select payload ->> 'userId' as "userId" from outbox where task = 'contest-changed'`;
    expect(told.map(({ userId }) => userId).sort()).toEqual(
      [next, ...moved].map((nth) => entries[nth!]!.who.id).sort(),
    );
  });

  test("ranks equals by who entered first, and needs neither votes nor scores", async () => {
    const { slug, entries } = await contestOf(await people("t-1", "t-2", "t-3"));
    await close(slug);
    expect(await resultOf(slug, entries)).toEqual([
      [0, 1, 0, 0],
      [1, 2, 0, 0],
      [2, 3, 0, 0],
    ]);
    expect((await server.anonymous(`GET /contests/${slug}`)).json.winners).toEqual([]);
    const empty = await contestOf([]);
    await close(empty.slug);
    expect(await resultOf(empty.slug, [])).toEqual([]);
  });

  test("leaves out who is suspended at the end, who is no judge any more, and what is not public then", async () => {
    const { slug, entries } = await contestOf(await people("s-1", "s-2", "s-3"), { judgeWeight: 0.5 });
    const [first, second, third] = entries as [Entered, Entered, Entered];
    await putInto(server.sql, slug, "open");
    for (const title of ["shown", "hidden", "drafted"]) {
      await expectDone(third.who, "POST /makes", { title, slug: title, body: "It", publish: true });
      await expectDone(third.who, `POST /contests/${slug}/entries`, { type: "make", id: title });
    }
    await putInto(server.sql, slug, "voting");
    await expectDone(third.who, "PATCH /makes/hidden", { visibility: "unlisted" });
    await expectDone(third.who, "PATCH /makes/drafted", { status: "draft" });
    const [bad, worse] = await people("bad", "worse");
    await voteFor(first, bad!, worse!, voters[0]!);
    await voteFor(second, voters[0]!, voters[1]!);
    await voteFor(third, ...voters);
    await score(judges[0], second, { quality: 4 });
    await score(judges[1], second, { quality: 10 });
    await score(judges[2], first, { quality: 10 });
    await server.sql`delete from contest_judges j using contests c where c.id = j.contest_id and c.slug = ${slug} and user_id = ${judges[1]!.id}`;
    await expectDone(third.who, `PATCH /prompts/${third.ref}`, { visibility: "private" });
    await close(slug);
    // The first two at the end, `worse` after it.
    for (const [who, after] of [
      [bad, "0 s"],
      [judges[2], "0 s"],
      [worse, "1 ms"],
    ] as const)
      await server.sql`
        update users u set suspended_at = c.judging_closes_at + ${after}::interval from contests c where c.slug = ${slug} and u.id = ${who!.id}`;
    const { items } = (await server.anonymous("GET /contests")).json;
    const { winners } = items.find((one: { slug: string }) => one.slug === slug);
    expect(winners.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expect(await resultOf(slug, entries)).toEqual([
      [1, 1, 2, 7],
      [0, 2, 2, 5],
      [-1, 3, 0, 0], // The make that is shown.
    ]);
    expect(await storedOf(slug)).toEqual([{ n: 1, reason: null, places: 3 }]);
    const [{ scores }] = await itemsOf(server.nobody, `GET /contests/${slug}/entries?sort=rank`);
    expect(scores.map(({ total }: { total: number }) => total)).toEqual([4]);
    await server.sql`update users set suspended_at = null where id = ${judges[2]!.id}`;
  });
});

describe("the end of a contest", () => {
  test("is computed once, by the worker or by whoever reads first, and tells those who took part", async () => {
    const [eve, fay] = await people("eve", "fay");
    const { slug, entries } = await contestOf([eve!, fay!]);
    await voteFor(entries[0]!, voters[0]!);
    await close(slug);
    const reads = [`GET /contests/${slug}`, `GET /contests/${slug}/entries`, "GET /contests"];
    await Promise.all([settleDue(server.context), ...reads.map((route) => server.anonymous(route))]);
    expect(await storedOf(slug)).toEqual([{ n: 1, reason: null, places: 2 }]);
    await server.workOff();
    expect(await storedOf(slug)).toHaveLength(1);
    const told = async (who: Person) =>
      (await itemsOf(who, "GET /notifications?type=contest.closed")).map(({ title, target }) => [
        title,
        target.id,
      ]);
    expect(await told(eve!)).toEqual([["You won place 1 of a contest", slug]]);
    expect(await told(fay!)).toEqual([["A contest that you took part in is closed", slug]]);
    expect(await told(judges[1]!)).toContainEqual(["A contest that you took part in is closed", slug]);
    expect(await told(voters[0]!)).toEqual([]);
  });

  test("comes to the worker without a read, and stays if the clock is set back or a work is deleted", {
    tags: "long",
  }, async () => {
    const { slug, entries } = await contestOf(await people("gus", "hal"));
    await voteFor(entries[0]!, voters[0]!);
    await close(slug);
    await server.workOff();
    expect(await storedOf(slug)).toEqual([{ n: 1, reason: null, places: 2 }]);
    await putInto(server.sql, slug, "voting");
    expect((await server.anonymous(`GET /contests/${slug}`)).json.status).toBe("closed");
    expect((await voters[1]!.request(`POST ${entries[0]!.path}/vote`)).json.error.code).toBe(
      "contest_not_voting",
    );
    await entries[0]!.who.request(`DELETE /prompts/${entries[0]!.ref}`);
    expect(await storedOf(slug)).toEqual([{ n: 1, reason: null, places: 2 }]);
    expect(await resultOf(slug, entries)).toEqual([[1, 2, 0, 0]]);
  });

  test("shows a contest without a result while the database takes no writes", { tags: "long" }, async () => {
    const { slug, entries } = await contestOf(await people("ida"));
    await close(slug);
    await setReadOnly(server, "on");
    await vi.waitFor(async () => {
      const { status, json } = await server.anonymous(`GET /contests/${slug}`);
      expect([status, json.status, json.winners]).toEqual([200, "closed", []]);
    });
    expect((await server.anonymous(`GET /contests/${slug}/entries`)).status).toBe(200);
    await setReadOnly(server, "off");
    await vi.waitFor(async () => expect(await resultOf(slug, entries)).toEqual([[0, 1, 0, 0]]));
  });
});
