import postgres from "postgres";
import { parseDatabaseUrl, postgresOptions } from "../src/database/connection.ts";
import type { Sql } from "../src/database/sql.ts";

/** A statement as the server sends it. */
interface Sent {
  text: string;
  parameters: unknown[];
}

/** One step of a plan, as EXPLAIN prints it; what is actual is there when the statement ran. */
interface Step {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Plan Rows": number;
  "Total Cost": number;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  Plans?: Step[];
}

/** Tables with fewer rows are read as a whole, and rightly so. */
export const fewRows = 1_000;
/** Of any step of a read: a page shows 30 items, and of each it may look at some fifty rows. */
const mostRows = 2_000;

export interface Plans {
  /** The tables that a plan must not scan. */
  growing: ReadonlySet<string>;
  /** What is wrong with the plans of all statements that are sent meanwhile; `runs` where each may be run again. */
  complaintsAbout(work: () => Promise<unknown>, options: { runs: boolean }): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Looks at the plans of a server's statements, those made for their parameters and those made for any. A plan must not
 * scan a table that grows, nor may a step of a read go through more rows than a page can need.
 */
export async function openPlans(server: { sql: Sql; url: string }): Promise<Plans> {
  const sql = postgres({
    ...postgresOptions(parseDatabaseUrl(server.url)),
    max: 1,
    onnotice: () => {},
  });
  const sizes = await sql<{ name: string; rows: number }[]>`
    select relname as name, reltuples as rows from pg_class where relkind = 'r' and reltuples >= ${fewRows}`;
  const growing = new Set(sizes.map(({ name }) => name));
  return { growing, complaintsAbout, close: () => sql.end() };

  async function complaintsAbout(
    work: () => Promise<unknown>,
    { runs }: { runs: boolean },
  ): Promise<string[]> {
    const complaints: string[] = [];
    for (const statement of await sentDuring(work)) {
      const [own, any] = [await planFor(statement, runs), await planForAny(statement, runs)];
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
    const { options } = server.sql as unknown as { options: { debug: unknown } };
    // A copy, since the driver writes over its list when it sends it.
    options.debug = (_: number, text: string, parameters: unknown[]) =>
      sent.set(text, { text, parameters: [...parameters] });
    try {
      await work();
    } finally {
      options.debug = false;
    }
    return [...sent.values()].filter(({ text }) => /^\s*(select|with|insert|update|delete)\b/i.test(text));
  }

  async function planFor({ text, parameters }: Sent, runs: boolean): Promise<Step> {
    await sql`set plan_cache_mode = force_custom_plan`;
    const explain = `explain (${runs ? "analyze, timing off, " : ""}format json) ${text}`;
    return planIn(await sql.unsafe(explain, parameters));
  }

  async function planForAny({ text, parameters }: Sent, runs: boolean): Promise<Step> {
    await sql`set plan_cache_mode = force_generic_plan`;
    await sql.unsafe(`prepare planned as ${text}`);
    try {
      const given =
        parameters.length > 0
          ? `(${parameters.map((value) => (runs ? literal(value) : "null")).join()})`
          : "";
      const explain = `explain (${runs ? "analyze, timing off, " : ""}format json) execute planned${given}`;
      return planIn(await sql.unsafe(explain));
    } finally {
      await sql`deallocate planned`;
    }
  }

  function complaintsOf(step: Step): string[] {
    const kind = step["Node Type"];
    const relation = step["Relation Name"] ?? "";
    if (kind === "Seq Scan" && growing.has(relation)) return [`scans all of ${relation}`];
    const sorted = kind === "Sort" ? (step.Plans?.[0]?.["Plan Rows"] ?? 0) : 0;
    if (step["Actual Rows"] === undefined && sorted > mostRows) return [`sorts some ${sorted} rows`];
    const removed = (step["Rows Removed by Filter"] ?? 0) + (step["Rows Removed by Join Filter"] ?? 0);
    const rows = (step["Actual Rows"] ?? 0) + removed;
    const read = rows * (step["Actual Loops"] ?? 0);
    return read > mostRows
      ? [
          `goes through ${Math.round(read)} rows (${[kind, relation, step["Index Name"]].filter(Boolean).join(" ")})`,
        ]
      : [];
  }
}

/** A parameter as EXECUTE reads it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return quote(`{${value.map((item) => JSON.stringify(String(item))).join()}}`);
  if (value instanceof Uint8Array) return quote(`\\x${Buffer.from(value).toString("hex")}`);
  return quote(typeof value === "string" ? value : JSON.stringify(value));
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const planIn = (rows: readonly Record<string, unknown>[]): Step =>
  (rows[0]!["QUERY PLAN"] as [{ Plan: Step }])[0].Plan;

function* stepsOf(step: Step): Generator<Step> {
  yield step;
  for (const below of step.Plans ?? []) yield* stepsOf(below);
}
