import { Draw, idOf } from "../../../test/seed/draw.ts";
import { type Prompt, promptsOf } from "../../../test/seed/prompts.ts";
import { accountAt, type Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, json, type Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "examples",
    columns:
      "id prompt_id version_n author_id variables input output status position created_at decided_at".split(
        " ",
      ),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < examplesOf(prompt); nth++) yield exampleRow(registry, prompt, nth);
      }
    },
  },
];

/** As many as may be approved, and as many again that wait or were rejected as a popular prompt collects. */
const approvedOfLarge = 100;
const examplesOf = ({ index, versions }: Prompt): number =>
  versions === 0 ? 0 : index === 0 ? 3_000 : index % 20 === 0 ? 2 : 0;

function exampleRow(registry: Registry, prompt: Prompt, nth: number): Cell[] {
  const draw = new Draw(registry.number, 17, prompt.index, nth);
  const createdMs = prompt.publishedMs + draw.below(Math.max(1, registry.untilMs - prompt.publishedMs));
  const isApproved = nth < approvedOfLarge;
  const status = isApproved ? "approved" : draw.happens(0.5) ? "pending" : "rejected";
  return [
    idOf("exm", createdMs, prompt.index * 4_096 + nth),
    prompt.id,
    draw.happens(0.1) ? 1 : null,
    isApproved ? prompt.owner.id : accountAt(registry, 1 + draw.below(registry.accounts - 1)).id,
    json({ name: `reader ${nth}` }),
    "Write it.",
    "It is as it should be.",
    status,
    isApproved ? nth + 1 : null,
    at(createdMs),
    status === "pending" ? null : at(createdMs),
  ];
}
