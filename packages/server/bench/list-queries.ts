import { contract, listOperations } from "@promptreg/core";
import type { Sql } from "../src/database/sql.ts";

/** What a seeded database calls things whose ids no path can know. */
export interface Ids {
  webhook: string;
  /** The oldest in the log of that webhook. */
  delivery: string;
  run: string;
}

/** A list, and the queries under which it is timed: none, each order alone, and each filter alone. */
export interface List {
  path: string;
  queries: readonly string[];
  /**
   * Queries that may go through more than they show: some 10,000 rows, to rank them or to learn that they are many, or
   * the 5,000 that an account may follow.
   */
  broad?: readonly string[];
}

export async function idsOf(sql: Sql): Promise<Ids> {
  const [ids] = await sql<Ids[]>`
    select w.id as webhook, (select min(d.id) from deliveries d where d.webhook_id = w.id) as delivery,
      (select max(r.id) from eval_runs r join prompts p on p.id = r.prompt_id where p.slug = 'large') as run
    from webhooks w where w.url = 'https://receiver.example/0'`;
  if (ids === undefined) throw new Error("the database was not seeded");
  return ids;
}

/** The lists of the product as `bench` sees them, by operation. */
export function listsOf({ webhook, delivery, run }: Ids): Record<string, List> {
  const runs = "prompt=bench/large";
  return {
    "prompts.list": {
      path: "/prompts",
      queries: [
        "",
        ...each("sort", "trending newest updated stars installs title"),
        ...each("q", "check1500 check1500&sort=relevance task&sort=newest"),
        ...each("kind", "text media skill&kind=chat"),
        ...each("tag", "poem poem&tag=note check-1500"),
        ...each("owner", "bench me me&visibility=private me&status=draft"),
        ...each("license", "MIT GPL-3.0-only"),
        ...each("rating", "general mature"),
        ...each("hasEvals", "true false"),
        ...each("forkOf", "bench/large"),
        ...each("updatedSince", "2020-01-01T00:00:00Z"),
      ],
      broad: [...each("q", "task task+plan+-law"), ...each("tag", "agent agent&tag=audit")],
    },
    "prompts.versions.list": { path: "/prompts/bench/large/versions", queries: [""] },
    "prompts.labels.list": { path: "/prompts/bench/large/labels", queries: [""] },
    "prompts.labels.history": { path: "/prompts/bench/large/labels/production/history", queries: [""] },
    "watch.list": { path: "/me/watches", queries: [""], broad: each("level", "releases all ignore") },
    "notifications.list": {
      path: "/notifications",
      queries: [
        "",
        ...each("unread", "true false"),
        ...each("type", "prompt.version.created webhook.disabled prompt.deleted"),
        ...each("unread=true&type", "prompt.label.moved webhook.disabled"),
      ],
    },
    "webhooks.list": { path: "/webhooks", queries: [""] },
    "webhooks.deliveries.list": {
      path: `/webhooks/${webhook}/deliveries`,
      queries: [
        "",
        ...each("order", "desc asc"),
        ...each("after", delivery),
        ...each("include", "payload"),
        ...each("status", "succeeded failed pending cancelled"),
        ...each("event", "prompt.version.created prompt.label.moved prompt.deleted"),
      ],
    },
    "evals.runs.list": {
      path: "/evals/runs",
      queries: [
        runs,
        ...each(`${runs}&version`, "3"),
        ...each(`${runs}&model`, "model-0"),
        ...each(`${runs}&status`, "completed failed"),
        ...each(`${runs}&verdict`, "pass fail"),
      ],
    },
    "evals.runs.results": {
      path: `/evals/runs/${run}/results`,
      queries: ["", ...each("status", "passed failed skipped")],
    },
  };
}

const each = (field: string, values: string): string[] =>
  values.split(" ").map((value) => `${field}=${value}`);

/** What the contract's lists can be asked and no query here does, as `operation: field`. */
export function unasked(lists: Record<string, List>): string[] {
  return listOperations(contract).flatMap(({ id, operation }) => {
    const fields = Object.keys((operation.query as { shape?: object } | undefined)?.shape ?? {});
    if (!fields.includes("cursor")) return [];
    const { queries = [], broad = [] } = lists[id] ?? {};
    const asked = new Set([...queries, ...broad].flatMap((query) => [...new URLSearchParams(query).keys()]));
    const missing = fields.filter((field) => !["cursor", "limit"].includes(field) && !asked.has(field));
    return [...(lists[id] ? [] : [id]), ...missing.map((field) => `${id}: ${field}`)];
  });
}
