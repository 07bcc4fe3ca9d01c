import { promptsOf } from "../../../test/seed/prompts.ts";
import type { Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "tags",
    columns: ["name", "prompt_count"],
    *rows(registry) {
      const counts = new Map<string, number>();
      for (const { tags, visibility, versions, rating, isDeleted } of promptsOf(registry)) {
        if (visibility !== "public" || versions === 0 || rating === "mature" || isDeleted) continue;
        for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      }
      yield* counts;
    },
  },
];
