import { Draw } from "../../../test/seed/draw.ts";
import { latestOf, promptsOf } from "../../../test/seed/prompts.ts";
import { accountAt, dayMs } from "../../../test/seed/registry.ts";
import { sha256 } from "../../../test/seed/contents.ts";
import { at, hex, type Table } from "../../../test/seed/table.ts";

/** Rows of one prompt at most. The figures of the seeds say thousands: as rows those would take long to write. */
const most = 5;

export const seeds: Table[] = [
  {
    name: "installs",
    columns: ["prompt_id", "target", "installation", "version_n", "user_id", "at"],
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        const n = latestOf(registry, prompt);
        if (n === null) continue;
        for (let nth = 0; nth < Math.min(prompt.hourlyInstalls, most); nth++) {
          const atMs = registry.untilMs - new Draw(registry.number, 16, prompt.index, nth).below(29 * dayMs);
          const installation = hex(sha256(`installation ${prompt.index} ${nth}`));
          yield [prompt.id, "cursor-rule", installation, n, null, at(atMs)];
        }
      }
    },
  },
  {
    name: "installers",
    columns: ["prompt_id", "user_id", "at"],
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < Math.min(prompt.hourlyInstalls, most); nth++) {
          const { id } = accountAt(registry, 1 + ((prompt.index + nth) % (registry.accounts - 1)));
          const draw = new Draw(registry.number, 17, prompt.index, nth);
          const atMs =
            prompt.publishedMs + Math.floor((registry.untilMs - prompt.publishedMs) * draw.fraction());
          yield [prompt.id, id, at(atMs)];
        }
      }
    },
  },
];
