import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { expectDone } from "../../../test/scenes.ts";
import { disqualifyEntry } from "./operator.sql.ts";
import { newContest, putInto } from "./scenes.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
let prompts = 0;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
});
afterAll(() => server.stop());

/** A contest in its voting phase, and the addresses of as many entries of alice's. */
async function voting(count: number, votesPerUser: number): Promise<{ slug: string; paths: string[] }> {
  const slug = await newContest({ server, owner: alice }, { votesPerUser });
  const paths: string[] = [];
  for (let n = 0; n < count; n++) {
    const id = `voted-${++prompts}`;
    await publish(alice, id);
    const entry = await expectDone(alice, `POST /contests/${slug}/entries`, {
      type: "prompt",
      id: `alice/${id}`,
    });
    paths.push(`/contests/${slug}/entries/${entry.id}`);
  }
  await putInto(server.sql, slug, "voting");
  return { slug, paths };
}
const vote = (who: Person, path = "") => who.request(`POST ${path}/vote`);
const unvote = (who: Person, path = "") => who.request(`DELETE ${path}/vote`);
const codes = (answers: { status: number; json: any }[]) =>
  answers.map(({ status, json }) => json?.error?.code ?? status).sort();
const stored = async (slug: string) => {
  const [row] = await server.sql`
    select count(*)::int as votes from contest_votes v join contests c on c.id = v.contest_id where c.slug = ${slug}`;
  return row?.["votes"];
};

describe("a vote", () => {
  test("is one for each person and entry, can be taken back by its voter alone, and is one of a few", async () => {
    const { slug, paths } = await voting(3, 2);
    await vote(carol, paths[0]);
    // An entry is found in its own contest alone.
    const other = await newContest({ server, owner: alice });
    await putInto(server.sql, other, "voting");
    expect((await vote(bob, paths[0]?.replace(slug, other))).status).toBe(404);
    for (const _ of [1, 2]) expect((await vote(bob, paths[0])).json).toEqual({ voted: true, votesLeft: 1 });
    expect((await vote(bob, paths[1])).json).toEqual({ voted: true, votesLeft: 0 });
    expect(codes([await vote(bob, paths[2]), await vote(alice, paths[0])])).toEqual([
      "own_entry",
      "vote_limit",
    ]);
    for (const _ of [1, 2])
      expect((await unvote(bob, paths[0])).json).toEqual({ voted: false, votesLeft: 1 });
    expect((await vote(bob, paths[2])).json).toEqual({ voted: true, votesLeft: 0 });
    // Hers stays.
    expect(await stored(slug)).toBe(3);
    for (const phase of ["open", "judging"] as const) {
      await putInto(server.sql, slug, phase);
      expect(codes([await vote(bob, paths[1]), await unvote(bob, paths[1])])).toEqual([
        "contest_not_voting",
        "contest_not_voting",
      ]);
    }
  });
});

test("votes for what is disqualified are free again", async () => {
  const { slug, paths } = await voting(3, 2);
  for (const path of paths.slice(0, 2)) await vote(bob, path);
  const [contest] = await server.sql<{ id: string }[]>`select id from contests where slug = ${slug}`;
  const out = { contestId: contest?.id ?? "", entryId: paths[0]?.split("/").at(-1) ?? "", reason: "Copied" };
  expect(await server.sql.begin((sql) => disqualifyEntry(sql, out))).toBe(false);
  expect((await vote(bob, paths[2])).json).toEqual({ voted: true, votesLeft: 0 });
});

test("a make gets votes as long as others see it", async () => {
  const { slug } = await voting(0, 1);
  await putInto(server.sql, slug, "open");
  await expectDone(alice, "POST /makes", { title: "A bot", slug: "voted-bot", body: "It", publish: true });
  const entry = { type: "make", id: "voted-bot" };
  const { id } = await expectDone(alice, `POST /contests/${slug}/entries`, entry);
  await putInto(server.sql, slug, "voting");
  const path = `/contests/${slug}/entries/${id}`;
  expect((await vote(bob, path)).json).toEqual({ voted: true, votesLeft: 0 });
  await expectDone(alice, "PATCH /makes/voted-bot", { status: "draft" });
  expect([(await vote(carol, path)).status, await stored(slug)]).toEqual([404, 1]);
});

describe("at the same time", () => {
  test("votes wait for nobody who votes for the same entry", async () => {
    const { slug, paths } = await voting(1, 1);
    const others = await Promise.all(Array.from({ length: 20 }, (_, n) => server.join(`voter-${n}`)));
    await server.sql.begin(async (sql) => {
      // What another vote holds until it commits.
      await sql`select from contests where slug = ${slug} for share`;
      await sql`select from contest_entries e join contests c on c.id = e.contest_id where c.slug = ${slug} for share of e`;
      await sql`
        insert into contest_votes (entry_id, user_id, contest_id)
        select e.id, ${bob.id}, c.id from contest_entries e join contests c on c.id = e.contest_id where c.slug = ${slug}`;
      const answers = await Promise.all(others.map((who) => vote(who, paths[0])));
      expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200));
    });
    expect(await stored(slug)).toBe(21);
  });

  test("one person has no more votes than the contest gives, and one for each entry", async () => {
    const { slug, paths } = await voting(5, 2);
    const hold = (sql: TestServer["sql"]) => sql`select from users where id = ${bob.id} for update`;
    const rushed = await server.atOnce(
      hold,
      paths.map((path) => () => vote(bob, path)),
    );
    expect(codes(rushed)).toEqual([200, 200, "vote_limit", "vote_limit", "vote_limit"]);
    expect(await stored(slug)).toBe(2);
    const again = await voting(1, 5);
    const same = await server.atOnce(
      hold,
      [1, 2, 3].map(() => () => vote(bob, again.paths[0])),
    );
    expect(same.map(({ json }) => json)).toEqual([1, 2, 3].map(() => ({ voted: true, votesLeft: 4 })));
    expect(await stored(again.slug)).toBe(1);
  });

  test("a vote that comes while the contest ends is in its result, or is refused", async () => {
    const { slug, paths } = await voting(1, 1);
    const [answer] = await server.atOnce((sql) => putInto(sql, slug, "closed"), [() => vote(bob, paths[0])]);
    expect([codes([answer!]), await stored(slug)]).toEqual([["contest_not_voting"], 0]);
  });

  test("the result waits for a vote that was in time", async () => {
    const { slug, paths } = await voting(1, 1);
    await putInto(server.sql, slug, "closed");
    const [read] = await server.atOnce(
      async (sql) => {
        await sql`select from contests where slug = ${slug} for share`;
        await sql`
          insert into contest_votes (entry_id, user_id, contest_id)
          select e.id, ${bob.id}, c.id from contest_entries e join contests c on c.id = e.contest_id where c.slug = ${slug}`;
      },
      [() => server.anonymous(`GET /contests/${slug}/entries`)],
    );
    expect(read?.json.items).toMatchObject([{ id: paths[0]?.split("/").at(-1), votes: 1, rank: 1 }]);
  });

  test("an entry that is withdrawn takes its votes with it", async () => {
    const { slug, paths } = await voting(1, 1);
    const [gone, voted] = await server.atOnce(
      (sql) =>
        sql`select from contest_entries e join contests c on c.id = e.contest_id where c.slug = ${slug} for update of e`,
      [() => alice.request(`DELETE ${paths[0]}`), () => vote(bob, paths[0])],
    );
    expect(gone?.status).toBe(204);
    expect([200, 404]).toContain(voted?.status);
    expect(await stored(slug)).toBe(0);
  });
});
