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

/**
 * The plans of a statement in these modes; `runs` makes them such with what is actual. It takes one exchange with
 * PostgreSQL, since thousands of plans are asked for.
 */
export async function explain<const Modes extends readonly Mode[]>(
  sql: postgres.Sql | postgres.TransactionSql,
  { text, parameters }: Sent,
  { modes, runs }: { modes: Modes; runs: boolean },
): Promise<{ [K in keyof Modes]: Step }> {
  const options = runs ? "analyze, buffers, timing off, format json" : "format json";
  const given = parameters.length > 0 ? `(${parameters.map(literal).join()})` : "";
  const results = await sql.unsafe<Record<string, [{ Plan: Step }]>[][]>(
    [
      // One that failed has left it.
      "deallocate all",
      `prepare planned as ${text}`,
      ...modes.flatMap((mode) => [
        `set plan_cache_mode = force_${mode}_plan`,
        `explain (${options}) execute planned${given}`,
      ]),
    ].join(";\n"),
  );
  const plans = results.flatMap(([row]) => row?.["QUERY PLAN"]?.[0].Plan ?? []);
  return plans as { [K in keyof Modes]: Step };
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
  if (value instanceof Uint8Array) return quote(`\\x${Buffer.from(value).toString("hex")}`);
  if (Array.isArray(value) && value.every((item) => Object(item) !== item))
    return quote(`{${value.map((item) => (item === null ? "null" : JSON.stringify(String(item)))).join()}}`);
  return quote(typeof value === "string" ? value : JSON.stringify(value));
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
