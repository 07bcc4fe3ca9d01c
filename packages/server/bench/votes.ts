/**
 * The rate at which people vote in a contest over HTTP, against two floors: a bare HTTP handler that runs the same statements, and a
 * bare transaction that writes the same row; and how late 200 voters at once are answered who vote for one entry, against those who vote for as many as there are.
 */
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import { makeToken } from "../src/kernel/accounts/token.ts";
import { median } from "./deliveries/print.ts";
import { closeConnections, exchange } from "./exchange.ts";
import { letIn, startSide } from "./side.ts";
import { isShort } from "../../../scripts/short.ts";

const voters = 200;
/** Each voter has so many votes. */
const entries = 5;
const rounds = isShort ? 1 : 7;
const bursts = isShort ? 2 : 20;

const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const database = await startEmbedded(folder, { isThrowaway: isShort });
const address = parseDatabaseUrl(database.url);
const sql = connect(address);
const children: ChildProcess[] = [];
try {
  await migrate(address);
  const token = makeToken();
  const people = await Promise.all(
    Array.from({ length: voters }, async (_, nth) => {
      const own = makeToken();
      return { token: own, id: await letIn(sql, own, `voter-${nth}`) };
    }),
  );
  await letIn(sql, token);
  const contest = await makeContest();
  const start = async (side: "ours" | "floor") => {
    const { child, port } = await startSide(side, { url: database.url, token });
    children.push(child);
    return port;
  };
  const [ours, floor] = [await start("ours"), await start("floor")];
  /** Of the nth vote, so that votes that are near each other are of different people. */
  const voteOf = (nth: number) => ({
    who: people[nth % voters]!,
    entryId: contest.entryIds[Math.floor(nth / voters) % entries]!,
  });
  const vote = ({ who, entryId }: ReturnType<typeof voteOf>) =>
    exchange({ port: ours, route: `POST /api/v1/contests/best/entries/${entryId}/vote`, token: who.token });
  const handle = ({ who, entryId }: ReturnType<typeof voteOf>) =>
    exchange({ port: floor, route: `POST /vote/best/${entryId}`, token: who.token });
  const bare = ({ who, entryId }: ReturnType<typeof voteOf>) => voteBare(contest.id, who.id, entryId);
  const forget = () => sql`truncate contest_votes`;

  for (const writers of [1, 8, 64]) {
    const sides = { transaction: bare, handler: handle, ours: vote };
    const rates = { transaction: [], handler: [], ours: [] } as Record<keyof typeof sides, number[]>;
    for (let round = 0; round < rounds; round++) {
      for (const [side, one] of Object.entries(sides) as [keyof typeof sides, typeof vote][]) {
        await forget();
        rates[side].push(await rateOf(writers, (nth) => one(voteOf(nth))));
      }
    }
    const against = (side: keyof typeof sides) => {
      const ratio = median(rates.ours.map((rate, round) => rate / rates[side][round]!));
      return `${side} ${Math.round(median(rates[side]))}/s ratio ${ratio.toFixed(2)}`;
    };
    console.log(
      `${`${writers} voting`.padEnd(24)} ours ${Math.round(median(rates.ours))}/s   ${against("transaction")}   ${against("handler")}`,
    );
  }

  const late: Record<"one" | "spread", number[]> = { one: [], spread: [] };
  for (let burst = 0; burst < bursts; burst++) {
    for (const place of ["spread", "one"] as const) {
      await forget();
      const entryOf = (nth: number) => contest.entryIds[place === "one" ? 0 : nth % entries]!;
      const times = await Promise.all(
        people.map(async (who, nth) => {
          const from = performance.now();
          await vote({ who, entryId: entryOf(nth) });
          return performance.now() - from;
        }),
      );
      // The first opens the connections.
      if (burst > 0) late[place].push(times.sort((a, b) => a - b)[Math.floor(voters * 0.99)]!);
    }
  }
  const [one, spread] = [median(late.one), median(late.spread)];
  console.log(
    `${`${voters} at once`.padEnd(24)} 99 of 100 within ${one.toFixed(0)} ms for one entry, ${spread.toFixed(0)} ms for ${entries}, ratio ${(one / spread).toFixed(2)} (limit 3.00)`,
  );
} finally {
  for (const child of children) child.kill("SIGKILL");
  closeConnections();
  await sql.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A contest that takes votes, with entries of the account `bench`. */
async function makeContest(): Promise<{ id: string; entryIds: string[] }> {
  const [contest] = await sql<{ id: string }[]>`
    insert into contests (slug, title, description, rules, prizes, accepts, opens_at, entries_close_at, voting_closes_at, judging_closes_at,
      criteria, votes_per_user, entries_per_user, judge_weight)
    values ('best', 'Best', '', '', '', '{prompt}', clock() - interval '2 hours', clock() - interval '1 hour', clock() + interval '1 day',
      clock() + interval '1 day', '[]', ${entries}, ${entries}, 0) returning id`;
  const rows = await sql<{ id: string }[]>`
    with p as (
      insert into prompts (owner_id, slug, kind, title, visibility, status, rating)
      select u.id, 'work-' || nth, 'text', 'Work', 'public', 'published', 'general' from users u, generate_series(1, ${entries}) nth
      where u.handle = 'bench' returning id, owner_id
    )
    insert into contest_entries (contest_id, owner_id, target_id) select ${contest!.id}, owner_id, id from p returning id`;
  return { id: contest!.id, entryIds: rows.map(({ id }) => id) };
}

/** What a careful person would write for this one purpose: the phase and the number of votes are looked at under their locks. */
function voteBare(contestId: string, userId: string, entryId: string): Promise<unknown> {
  return sql.begin(async (sql) => {
    const [contest] = await sql<{ isVoting: boolean }[]>`
      select clock() between entries_close_at and voting_closes_at as "isVoting" from contests where id = ${contestId} for share`;
    await sql`select from users where id = ${userId} for no key update`;
    const [mine] = await sql<{ given: number }[]>`
      select count(*)::int as given from contest_votes where contest_id = ${contestId} and user_id = ${userId}`;
    if (contest?.isVoting && (mine?.given ?? 0) < entries)
      await sql`
        insert into contest_votes (entry_id, user_id, contest_id, ip_hash)
        values (${entryId}, ${userId}, ${contestId}, ${Buffer.alloc(32)})`;
  });
}

/** How many votes a second so many writers give, until all are given. */
async function rateOf(writers: number, vote: (nth: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const all = voters * entries;
  let next = 0;
  const write = async () => {
    while (next < all) await vote(next++);
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (all * 1_000) / (performance.now() - startedAt);
}
