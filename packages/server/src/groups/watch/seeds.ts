import { Draw } from "../../../test/seed/draw.ts";
import { type Prompt, promptsOf } from "../../../test/seed/prompts.ts";
import { accountAt, type Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, type Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "watches",
    columns: ["prompt_id", "user_id", "level", "watched_at"],
    *rows(registry) {
      const { size, accounts } = registry;
      // `bench` watches prompts that are spread over all. The other accounts watch the rest.
      const step = Math.floor(size.prompts / (size.one.watches + 1));
      for (const prompt of promptsOf(registry)) {
        const nth = prompt.index / step;
        if (Number.isInteger(nth) && nth > 0 && nth <= size.one.watches) yield watchRow(registry, prompt, 0);
        for (let watcher = 0; watcher < prompt.watchers; watcher++) {
          yield watchRow(registry, prompt, 1 + ((prompt.index + watcher) % (accounts - 1)));
        }
      }
    },
  },
];

function watchRow(registry: Registry, { id, index, publishedMs }: Prompt, account: number): Cell[] {
  const draw = new Draw(registry.number, 10, index, account);
  const level = draw.weighted([
    ["releases", 60],
    ["all", 35],
    ["ignore", 5],
  ]);
  const atMs = publishedMs + Math.floor((registry.untilMs - publishedMs) * draw.fraction());
  return [id, accountAt(registry, account).id, level, at(atMs)];
}
