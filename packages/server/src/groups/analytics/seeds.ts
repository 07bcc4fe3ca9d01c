import { at, hex, type Table } from "../../../test/seed/table.ts";
import { sha256 } from "../../../test/seed/contents.ts";
import { promptsOf } from "../../../test/seed/prompts.ts";
import { dayMs, type Registry } from "../../../test/seed/registry.ts";

/** Days of a prompt with figures, and their keys. */
const [days, referrers] = [20, 3];

const dayOf = (registry: Registry, before: number) => at(registry.untilMs - before * dayMs).slice(0, 10);

export const seeds: Table[] = [
  {
    name: "daily_salts",
    columns: ["day", "salt"],
    *rows(registry) {
      for (const before of [0, 1]) yield [dayOf(registry, before), hex(sha256(`salt ${before}`))];
    },
  },
  {
    name: "daily_viewers",
    columns: ["day", "subject_id", "act", "viewer"],
    *rows(registry) {
      for (const { id, index, versions } of promptsOf(registry)) {
        if (versions === 0) continue;
        yield [dayOf(registry, index % 30), id, "view", hex(sha256(`viewer ${index}`))];
      }
    },
  },
  {
    name: "daily_figures",
    columns: ["subject_id", "part", "day", "key", "views", "unique_views"],
    *rows(registry) {
      const accounts = new Set<string>();
      for (const { id, index, owner, versions } of promptsOf(registry)) {
        if (!accounts.has(owner.id))
          for (let nth = 0; nth < days; nth++) yield [owner.id, "all", dayOf(registry, nth), "", 3, 1];
        accounts.add(owner.id);
        // All days of some, and a few of most, as on any registry.
        for (
          let nth = 0;
          nth < (index % 500 === 0 ? 400 : versions === 0 ? 0 : days);
          nth += index % 500 === 0 ? 1 : 7
        ) {
          const day = dayOf(registry, nth);
          yield [id, "all", day, "", 3, 1];
          yield [owner.id, "subject", day, id, 3, 1];
          for (let key = 0; key < referrers; key++) yield [id, "referrer", day, `site-${key}.example`, 1, 0];
        }
      }
    },
  },
];
