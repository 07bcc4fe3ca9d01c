import postgres from "postgres";
import { parseDatabaseUrl, postgresOptions } from "../src/database/connection.ts";
import { isThorough } from "../../core/src/testing/growth.ts";
import type { Sql } from "../src/database/sql.ts";
import { explain, rowsOf, type Sent, type Step, stepsOf } from "./explain.ts";
import { watchStatements } from "./sent.ts";
import type { Remembered } from "./statistics.ts";

/** Tables with fewer rows are read as a whole, and rightly so. The short form's registry is half as large. */
export const fewRows = isThorough ? 1_000 : 500;
/** Of any step of a read: a page shows 30 items, and of each it may look at some fifty rows. */
const mostRows = 2_000;

export interface Plans {
  /** The tables that a plan must not scan. */
  growing: ReadonlySet<string>;
  /** What is wrong with the plans of all statements that are sent meanwhile; `runs` where each may be run again. */
  complaintsAbout(
    work: () => Promise<unknown>,
    options: { runs: boolean; by?: Remembered["by"] },
  ): Promise<string[]>;
  /** All statements that were looked at. */
  remembered(): Remembered[];
  close(): Promise<void>;
}

/**
 * Looks at the plans of a server's statements, those made for their parameters and those made for any. A plan must not
 * scan a table that grows, nor may a step of a read go through more rows than a page can need.
 */
export async function openPlans(server: { pools: readonly Sql[]; url: string }): Promise<Plans> {
  const sql = postgres({
    ...postgresOptions(parseDatabaseUrl(server.url)),
    max: 1,
    onnotice: () => {},
  });
  const sizes = await sql<{ name: string; rows: number }[]>`
    select relname as name, reltuples as rows from pg_class where relkind = 'r' and reltuples >= ${fewRows}`;
  const growing = new Set(sizes.map(({ name }) => name));
  const all = new Map<string, Remembered>();
  return { growing, complaintsAbout, remembered: () => [...all.values()], close: () => sql.end() };

  async function complaintsAbout(
    work: () => Promise<unknown>,
    { runs, by = "request" }: { runs: boolean; by?: Remembered["by"] },
  ): Promise<string[]> {
    const complaints: string[] = [];
    for (const statement of await sentDuring(work)) {
      // What runs depends on its parameters. What is only planned is planned for any as well, which is enough for the short form.
      const key = JSON.stringify([by, runs || isThorough ? statement : statement.text]);
      // Such as the one that finds a token, before every request.
      if (all.has(key)) continue;
      all.set(key, { ...statement, by });
      const [own, any] = await explain(sql, statement, { modes: ["custom", "generic"], runs });
      // PostgreSQL takes the plan for any only where it looks about as cheap as those for their parameters did.
      const isLikely = any["Total Cost"] < 2 * own["Total Cost"];
      const found = [
        ...[...stepsOf(own)].flatMap(complaintsOf),
        ...(isLikely ? [...stepsOf(any)].flatMap(complaintsOf).map((one) => `${one}, planned for any,`) : []),
      ];
      complaints.push(...[...new Set(found)].map((complaint) => `${complaint} in ${statement.text.trim()}`));
    }
    return complaints;
  }

  async function sentDuring(work: () => Promise<unknown>): Promise<Sent[]> {
    const sent = new Map<string, Sent>();
    // A copy, since the driver writes over its list when it sends it.
    const note = (text: string, parameters: unknown[]) =>
      sent.set(text, { text, parameters: [...parameters] });
    const count = await watchStatements(server.pools, note, work);
    // Who watches other pools than the server's would notice nothing.
    if (count === 0) throw new Error("no statement was sent");
    return [...sent.values()].filter(({ text }) => /^\s*(select|with|insert|update|delete)\b/i.test(text));
  }

  function complaintsOf(step: Step): string[] {
    const kind = step["Node Type"];
    const relation = step["Relation Name"] ?? "";
    if (kind === "Seq Scan" && growing.has(relation)) return [`scans all of ${relation}`];
    const sorted = kind === "Sort" ? (step.Plans?.[0]?.["Plan Rows"] ?? 0) : 0;
    if (step["Actual Rows"] === undefined && sorted > mostRows) return [`sorts some ${sorted} rows`];
    const read = rowsOf(step);
    return read > mostRows
      ? [
          `goes through ${Math.round(read)} rows (${[kind, relation, step["Index Name"]].filter(Boolean).join(" ")})`,
        ]
      : [];
  }
}
