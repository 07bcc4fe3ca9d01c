import { idOf } from "../../../test/seed/draw.ts";
import { accountAt } from "../../../test/seed/registry.ts";
import { at, type Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "votes",
    columns: ["target_id", "user_id", "value", "voted_at"],
    *rows(registry) {
      const count = Math.min(5_000, registry.accounts - 1);
      for (let nth = 0; nth < count; nth++) {
        const target = idOf("exm", registry.untilMs, nth % 50);
        yield [target, accountAt(registry, 1 + nth).id, nth % 4 === 0 ? -1 : 1, at(registry.untilMs)];
      }
    },
  },
];
