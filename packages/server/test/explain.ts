import type postgres from "postgres";

/** A statement as the server sends it. */
export interface Sent {
  text: string;
  parameters: unknown[];
}

/** Whether a plan is made for the statement's parameters, or for any. */
export type Mode = "custom" | "generic";

/** One step of a plan, as EXPLAIN prints it; what is actual is there when the statement ran. */
export interface Step {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Join Type"?: string;
  "Plan Rows": number;
  "Total Cost": number;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: Step[];
}

/** The plan of a statement; `runs` makes it one with what is actual. */
export async function explain(
  sql: postgres.Sql | postgres.TransactionSql,
  { text, parameters }: Sent,
  { mode, runs }: { mode: Mode; runs: boolean },
): Promise<Step> {
  const options = runs ? "analyze, buffers, timing off, format json" : "format json";
  await sql.unsafe(`set plan_cache_mode = force_${mode}_plan`);
  if (mode === "custom") return planIn(await sql.unsafe(`explain (${options}) ${text}`, parameters as never));
  await sql.unsafe(`prepare planned as ${text}`);
  const values = parameters.map((value) => (runs ? literal(value) : "null"));
  const given = values.length > 0 ? `(${values.join()})` : "";
  const plan = planIn(await sql.unsafe(`explain (${options}) execute planned${given}`));
  await sql.unsafe("deallocate planned");
  return plan;
}

export function* stepsOf(step: Step): Generator<Step> {
  yield step;
  for (const below of step.Plans ?? []) yield* stepsOf(below);
}

/** How many rows a step went through, those included that it left out. */
export const rowsOf = (step: Step): number =>
  ((step["Actual Rows"] ?? 0) +
    (step["Rows Removed by Filter"] ?? 0) +
    (step["Rows Removed by Join Filter"] ?? 0)) *
  (step["Actual Loops"] ?? 0);

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
