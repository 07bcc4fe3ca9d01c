import { contract, listOperations } from "@promptreg/core";

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
}

/** The lists of the product as `bench` sees them, by operation. */
export function listsOf({ webhook, delivery, run }: Ids): Record<string, List> {
  const prompt = "prompt=bench/large";
  return {
    "prompts.list": {
      path: "/prompts",
      queries: [
        ...["", "sort=trending", "sort=newest", "sort=updated", "sort=stars", "sort=installs", "sort=title"],
        ...["q=poem", "q=poem&sort=relevance", "q=poem%20audit%20-law", "q=poem&sort=newest"],
        ...[
          "kind=text",
          "kind=media",
          "kind=skill&kind=chat",
          "tag=agent",
          "tag=poem",
          "tag=agent&tag=audit",
        ],
        ...["owner=bench", "owner=me", "owner=me&visibility=private", "owner=me&status=draft"],
        ...["license=MIT", "license=GPL-3.0-only", "rating=general", "rating=mature"],
        ...["hasEvals=true", "hasEvals=false", "forkOf=bench/large", "updatedSince=2020-01-01T00:00:00Z"],
      ],
    },
    "prompts.versions.list": { path: "/prompts/bench/large/versions", queries: [""] },
    "prompts.labels.list": { path: "/prompts/bench/large/labels", queries: [""] },
    "prompts.labels.history": { path: "/prompts/bench/large/labels/production/history", queries: [""] },
    "watch.list": { path: "/me/watches", queries: ["", "level=releases", "level=all", "level=ignore"] },
    "webhooks.list": { path: "/webhooks", queries: [""] },
    "webhooks.deliveries.list": {
      path: `/webhooks/${webhook}/deliveries`,
      queries: [
        ...["", "order=desc", "order=asc", `after=${delivery}`, "include=payload"],
        ...["status=succeeded", "status=failed", "status=pending", "status=cancelled"],
        ...["event=prompt.version.created", "event=prompt.label.moved", "event=prompt.deleted"],
      ],
    },
    "evals.runs.list": {
      path: "/evals/runs",
      queries: [
        ...[prompt, `${prompt}&version=3`, `${prompt}&model=model-0`, `${prompt}&status=completed`],
        ...[`${prompt}&status=failed`, `${prompt}&verdict=pass`, `${prompt}&verdict=fail`],
      ],
    },
    "evals.runs.results": {
      path: `/evals/runs/${run}/results`,
      queries: ["", "status=passed", "status=failed", "status=skipped"],
    },
  };
}

/** What the contract's lists can be asked and no query here does, as `operation: field`. */
export function unasked(lists: Record<string, List>): string[] {
  return listOperations(contract).flatMap(({ id, operation }) => {
    const fields = Object.keys((operation.query as { shape?: object } | undefined)?.shape ?? {});
    if (!fields.includes("cursor")) return [];
    const asked = new Set(lists[id]?.queries.flatMap((query) => [...new URLSearchParams(query).keys()]));
    const missing = fields.filter((field) => !["cursor", "limit"].includes(field) && !asked.has(field));
    return [...(lists[id] ? [] : [id]), ...missing.map((field) => `${id}: ${field}`)];
  });
}
