import { hash } from "node:crypto";
import { renderer } from "../../kernel/markdown/render.ts";
import { Draw, idOf } from "../../../test/seed/draw.ts";
import { promptAt } from "../../../test/seed/prompts.ts";
import { accountAt, type Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, hex, type Table } from "../../../test/seed/table.ts";

/** Comments on the prompt with the most, and on every tenth of the others. `bench` wrote every third. */
const ofLarge = 6_000;
const ofOthers = 3;

export const seeds: Table[] = [
  {
    name: "comments",
    columns: (
      "id prompt_id target parent_id reply_to author_id body body_html body_renderer body_hash mentions status reply_count score " +
      "created_at published_at"
    ).split(" "),
    *rows(registry) {
      let nth = 0;
      for (let index = 0; index < registry.size.prompts; index += 10) {
        const { id, versions, publishedMs } = promptAt(registry, index);
        if (versions === 0) continue;
        const count = index === 0 ? ofLarge : ofOthers;
        for (let of = 0; of < count; of++) {
          yield commentRow(registry, { prompt: id, first: nth - of, nth, of, count, fromMs: publishedMs });
          nth += 1;
        }
      }
    },
  },
  {
    name: "comment_locks",
    columns: ["target", "locked_by", "locked_at"],
    *rows(registry) {
      for (let index = 1; index < Math.min(5_000, registry.size.prompts); index++) {
        const { id, owner } = promptAt(registry, index);
        yield [id, owner.id, at(registry.untilMs)];
      }
    },
  },
];

/** So many reply to the first one. Of the others each fourth begins a thread, and the next three reply to it. */
const ofFirst = 1_003;
const rootOf = (of: number): number => (of <= ofFirst ? 0 : of - (of % 4));

interface At {
  prompt: string;
  /** The number of the first comment on the prompt, and of this one. */
  first: number;
  nth: number;
  /** Among those on the prompt. */
  of: number;
  count: number;
  fromMs: number;
}

function commentRow(registry: Registry, { prompt, first, nth, of, count, fromMs }: At): Cell[] {
  const draw = new Draw(registry.number, 19, nth);
  const createdAt = (one: number) => fromMs + Math.floor((one / count) * (registry.untilMs - fromMs) * 0.999);
  const idAt = (one: number) => idOf("cmt", createdAt(one), first + one);
  const root = rootOf(of);
  const parent = root === of ? null : idAt(root);
  const body = `I think so too, ${nth}`;
  const status = draw.weighted([
    ["visible", 94],
    ["held", 4],
    ["hidden", 2],
  ]);
  const replies = root !== of ? 0 : of === 0 ? Math.min(ofFirst, count - 1) : Math.min(3, count - 1 - of);
  return [
    idAt(of),
    prompt,
    prompt,
    parent,
    parent,
    accountAt(registry, nth % 3 === 0 ? 0 : draw.below(registry.accounts)).id,
    body,
    `<p>${body}</p>\n`,
    renderer,
    hex(hash("sha256", body)),
    "{}",
    status,
    replies,
    draw.fraction(),
    at(createdAt(of)),
    status === "visible" ? at(createdAt(of)) : null,
  ];
}
