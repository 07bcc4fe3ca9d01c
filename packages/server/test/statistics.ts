import postgres from "postgres";
import { parseDatabaseUrl, postgresOptions } from "../src/database/connection.ts";
import { explain, type Mode, rowsOf, type Sent, type Step, stepsOf } from "./explain.ts";

/** A statement, and who sends it. A worker has each planned for any parameters. */
export interface Remembered extends Sent {
  by: "request" | "worker";
}

/** What takes longer reads far too much, and need not come to its end. */
const mostMs = 5_000;

/** What a plan read when it ran. */
interface Read {
  rows: number;
  blocks: number;
}

/** How much more than today, and three times as much, a plan may read. */
const little: Read = { rows: 5_000, blocks: 1_000 };

const ours = "starelid in (select oid from pg_class where relnamespace = 'promptreg'::regnamespace)";

/** Sets how many values the columns have that name what a row belongs to, and how frequent the most common ones are. */
const belonging = (distinct: string, frequencies: string) => `
  update pg_statistic s set stadistinct = ${distinct},
    stanumbers1 = case when stakind1 = 1 then ${frequencies} else stanumbers1 end
  from pg_attribute a
  where ${ours} and a.attrelid = s.starelid and a.attnum = s.staattnum and a.attname like '%\\_id' and stadistinct <> -1`;

/**
 * What PostgreSQL may know of the tables. `because` is SQL that brings it about, until the transaction ends; `isStale` is the
 * database with old statistics.
 */
const moments: { name: string; because?: string; isStale?: true; slack: Read }[] = [
  { name: "with the statistics of today", slack: little },
  // Until they are made, for a minute at most, a list may go through all rows that it could show, once.
  {
    name: "without statistics",
    because: `delete from pg_statistic where ${ours}`,
    slack: { rows: 40_000, blocks: 80_000 },
  },
  {
    name: "with statistics of a time when all rows belonged to one",
    because: belonging("1", "array[1]::real[] || array_fill(0::real, array[cardinality(stanumbers1) - 1])"),
    slack: little,
  },
  {
    name: "with statistics of a time when each row belonged to another",
    because: belonging("-1", "array_fill(0::real, array[cardinality(stanumbers1)])"),
    slack: little,
  },
  { name: "with statistics of early days", isStale: true, slack: little },
];

/** Of any statement, also of those that read much at once. */
const most: Read = { rows: 60_000, blocks: 60_000 };

/** What is known of a statement: the shapes of the plans that ran, and what it may read. */
interface Known {
  shapes: Set<string>;
  limit?: Read;
}

/** Runs statements by the plans that they get in each of these moments, and says which read much more than today. */
export async function complaintsOfMoments(
  statements: readonly Remembered[],
  urls: { today: string; stale: string },
): Promise<string[]> {
  const complaints: string[] = [];
  let known = new Map<Remembered, Known>(statements.map((one) => [one, { shapes: new Set() }]));
  for (const { name, because, isStale, slack } of moments) {
    await rollingBack(isStale ? urls.stale : urls.today, async (tx) => {
      if (because) await tx.unsafe(because);
      for (const [statement, about] of known) {
        for (const [mode, plan] of await likelyPlans(tx, statement)) {
          const shape = shapeOf(plan);
          if (about.shapes.has(shape)) continue;
          about.shapes.add(shape);
          const read = await readBy(tx, statement, mode);
          if (read === null) continue;
          const limit = about.limit ? sum(about.limit, slack) : most;
          if (read.rows > limit.rows || read.blocks > limit.blocks)
            complaints.push(
              `${name}, ${mode}: ${read.rows} rows and ${read.blocks} blocks, at most ${limit.rows} and ${limit.blocks}, in ${statement.text.trim()}\n${shape}`,
            );
          about.limit ??= sum(read, read, read);
        }
      }
    });
    known = readingMost(known);
  }
  return complaints;
}

/** Of statements that differ in their parameters alone, the one that read the most. */
function readingMost(known: ReadonlyMap<Remembered, Known>): Map<Remembered, Known> {
  const most = new Map<string, [Remembered, Known]>();
  const readOf = ([, { limit }]: [Remembered, Known]) => (limit ? limit.rows + limit.blocks : 0);
  for (const one of known) {
    const key = `${one[0].by} ${one[0].text}`;
    const other = most.get(key);
    if (!other || readOf(one) > readOf(other)) most.set(key, one);
  }
  return new Map(most.values());
}

const sum = (...reads: Read[]): Read => ({
  rows: reads.reduce((all, { rows }) => all + rows, 0),
  blocks: reads.reduce((all, { blocks }) => all + blocks, 0),
});

/** Works in a transaction of which nothing stays. */
async function rollingBack(url: string, work: (tx: postgres.TransactionSql) => Promise<void>): Promise<void> {
  const sql = postgres({ ...postgresOptions(parseDatabaseUrl(url)), max: 1, onnotice: () => {} });
  const ended = sql.begin(async (tx) => {
    await tx.unsafe(`set local statement_timeout = ${mostMs}`);
    await work(tx);
    throw new RolledBack();
  });
  await ended.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  await sql.end();
}

/** Ends a transaction whose changes nobody wants. */
class RolledBack extends Error {}

/** PostgreSQL takes the plan for any only where it looks about as cheap as those for their parameters did. */
async function likelyPlans(
  tx: postgres.TransactionSql,
  statement: Remembered,
): Promise<[mode: Mode, plan: Step][]> {
  const [custom, generic] = await explain(tx, statement, { modes: ["custom", "generic"], runs: false });
  if (statement.by === "worker") return [["generic", generic]];
  const isLikely = generic["Total Cost"] < 2 * custom["Total Cost"];
  return isLikely
    ? [
        ["custom", custom],
        ["generic", generic],
      ]
    : [["custom", custom]];
}

/** What a statement reads; null if it cannot run once more. Nothing that it writes stays. */
async function readBy(tx: postgres.TransactionSql, statement: Sent, mode: Mode): Promise<Read | null> {
  let read: Read | null = null;
  await tx
    .savepoint(async (sql) => {
      const [plan] = await explain(sql, statement, { modes: [mode], runs: true });
      const scans = [...stepsOf(plan)].filter((step) => step["Relation Name"] ?? step["Index Name"]);
      read = {
        rows: Math.round(scans.reduce((sum, step) => sum + rowsOf(step), 0)),
        blocks: (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
      };
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (error instanceof RolledBack) return;
      if (!(error instanceof postgres.PostgresError)) throw error;
      if (error.code === "57014") read = { rows: Infinity, blocks: Infinity };
    });
  return read;
}

/** A plan without its figures and values. */
const shapeOf = (plan: Step, depth = 0): string =>
  [
    `${"  ".repeat(depth)}${[plan["Node Type"], plan["Join Type"], plan["Relation Name"], plan["Index Name"]].filter(Boolean).join(" ")} ${(plan["Index Cond"] ?? "").replace(/'(?:[^']|'')*'(?:::[\w ."[\]]+)?|\$\d+|\b\d+\b/g, "?")}`.trimEnd(),
    ...(plan.Plans ?? []).map((below) => shapeOf(below, depth + 1)),
  ].join("\n");
