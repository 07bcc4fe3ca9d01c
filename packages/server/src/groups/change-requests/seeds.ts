import { Draw } from "../../../test/seed/draw.ts";
import { type Prompt, promptsOf, sourceOf } from "../../../test/seed/prompts.ts";
import type { Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, type Table } from "../../../test/seed/table.ts";

/** Change requests of one fork at most: one is open, and the others are closed or merged. */
const most = 20;

export const seeds: Table[] = [
  {
    name: "change_requests",
    columns: (
      "target_id n source_id source_n base_n base_source_n author_id title body body_html body_renderer state files " +
      "additions deletions created_at updated_at closed_at closed_by merged_at merged_by merged_n"
    ).split(" "),
    *rows(registry) {
      const numbers = new Map<string, number>();
      for (const fork of promptsOf(registry)) {
        const target = sourceOf(registry, fork);
        if (target === null) continue;
        // Those of the largest prompt are so many that a list of them must not go through all.
        const count = target.index === 0 ? most : 1 + new Draw(registry.number, 16, fork.index).below(4);
        for (let nth = 0; nth < count; nth++) {
          const n = (numbers.get(target.id) ?? 0) + 1;
          numbers.set(target.id, n);
          yield requestRow(registry, { target, fork, n, isLast: nth === count - 1 });
        }
      }
    },
  },
];

function requestRow(
  { number, untilMs }: Registry,
  { target, fork, n, isLast }: { target: Prompt; fork: Prompt; n: number; isLast: boolean },
): Cell[] {
  const draw = new Draw(number, 17, fork.index, n);
  const createdMs = fork.createdMs + Math.floor((untilMs - fork.createdMs) * draw.fraction());
  const state = isLast ? "open" : draw.happens(0.5) ? "merged" : "closed";
  const end = [at(createdMs), target.owner.id];
  const none = [null, null];
  const hasBody = draw.happens(0.5);
  return [
    target.id,
    n,
    fork.id,
    1 + draw.below(fork.versions),
    1,
    1,
    fork.owner.id,
    `Change ${n}`,
    hasBody ? "This is why." : null,
    hasBody ? "<p>This is why.</p>\n" : null,
    1,
    state,
    1,
    3,
    2,
    at(createdMs),
    at(createdMs),
    ...(state === "closed" ? end : none),
    ...(state === "merged" ? end : none),
    state === "merged" ? 1 + draw.below(target.versions) : null,
  ];
}
