import { Draw, idOf } from "../../../test/seed/draw.ts";
import { promptAt } from "../../../test/seed/prompts.ts";
import { accountAt } from "../../../test/seed/registry.ts";
import { at, type Table } from "../../../test/seed/table.ts";

/** Many reports on the prompt with the most of everything, and one on each fifth of the others. Most are decided. */
const ofLarge = 3_000;

export const seeds: Table[] = [
  {
    name: "reports",
    columns:
      "id reporter_id kind subject_id address prompt_id owner_id reason details status action handled_by created_at handled_at".split(
        " ",
      ),
    *rows(registry) {
      let nth = 0;
      for (let index = 0; index < registry.size.prompts; index += 5) {
        const { id, owner, slug, versions, publishedMs } = promptAt(registry, index);
        if (versions === 0) continue;
        const count = index === 0 ? Math.min(ofLarge, registry.accounts - 1) : 1;
        for (let of = 0; of < count; of++, nth++) {
          const draw = new Draw(registry.number, 23, nth);
          const createdMs = publishedMs + Math.floor(draw.fraction() * (registry.untilMs - publishedMs));
          const status = draw.weighted([
            ["resolved", 60],
            ["dismissed", 30],
            ["open", 10],
          ]);
          const isOpen = status === "open";
          yield [
            idOf("rpt", createdMs, nth),
            accountAt(registry, 1 + ((index + of) % (registry.accounts - 1))).id,
            "prompt",
            id,
            `${owner.handle}/${slug}`,
            id,
            owner.id,
            draw.weighted([
              ["spam", 90],
              ["copyright", 9],
              ["illegal", 1],
            ]),
            `Reported ${nth}`,
            status,
            isOpen ? null : "none",
            isOpen ? null : accountAt(registry, 0).id,
            at(createdMs),
            isOpen ? null : at(registry.untilMs),
          ];
        }
      }
    },
  },
];
