import { Draw } from "../../../test/seed/draw.ts";
import { type Prompt, promptsOf } from "../../../test/seed/prompts.ts";
import { accountAt, type Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, type Table } from "../../../test/seed/table.ts";

/** Rows of one prompt at most. The counters of the seeds say thousands: as rows those would take long to write, except for a few. */
const most = ({ index }: Prompt, { accounts }: Registry): number =>
  index % 1_000 === 1 ? Math.min(2_000, accounts - 1) : 5;

export const seeds: Table[] = [
  {
    name: "stars",
    columns: ["prompt_id", "user_id", "kind", "starred_at"],
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        // `bench` stars many, but few of one kind: a list of these must not go through all.
        const step = prompt.kind === "media" ? 500 : 5;
        if (prompt.versions > 0 && prompt.index % step === 0) yield starRow(registry, prompt, 0);
        for (let nth = 0; nth < Math.min(prompt.hourlyStars, most(prompt, registry)); nth++) {
          yield starRow(registry, prompt, 1 + ((prompt.index + nth) % (registry.accounts - 1)));
        }
      }
    },
  },
];

function starRow(registry: Registry, { id, kind, index, publishedMs }: Prompt, account: number): Cell[] {
  const draw = new Draw(registry.number, 15, index, account);
  const atMs = publishedMs + Math.floor((registry.untilMs - publishedMs) * draw.fraction());
  return [id, accountAt(registry, account).id, kind, at(atMs)];
}
