import { Draw, idOf } from "../../../test/seed/draw.ts";
import { type Prompt, promptAt } from "../../../test/seed/prompts.ts";
import { type Account, accountAt, ageMs, type Registry } from "../../../test/seed/registry.ts";
import { at, type Table } from "../../../test/seed/table.ts";
import { searchDocument, wordsOf } from "../../../test/seed/words.ts";

export const seeds: Table[] = [
  {
    name: "collections",
    columns: "id owner_id title document visibility item_count created_at updated_at".split(" "),
    *rows(registry) {
      for (const { id, owner, title, visibility, prompts, createdMs, updatedMs } of collectionsOf(registry)) {
        const document = searchDocument([["A", title]]);
        const count = prompts.filter(isListed).length;
        yield [id, owner.id, title, document, visibility, count, at(createdMs), at(updatedMs)];
      }
    },
  },
  {
    name: "collection_items",
    columns: "id collection_id target_id position added_at".split(" "),
    *rows(registry) {
      for (const { id, index, prompts, createdMs } of collectionsOf(registry)) {
        for (const [nth, prompt] of prompts.entries())
          yield [idOf("itm", createdMs, index * 512 + nth), id, prompt.id, nth + 1, at(createdMs)];
      }
    },
  },
];

const isListed = ({ visibility, rating, versions, isDeleted }: Prompt): boolean =>
  visibility === "public" && rating !== "mature" && versions > 0 && !isDeleted;

/** As many as an account may have, with as many items as the first may have. */
const ofBench = { collections: 200, items: 500 };

interface Collection {
  id: string;
  index: number;
  owner: Account;
  title: string;
  visibility: string;
  prompts: Prompt[];
  createdMs: number;
  updatedMs: number;
}

/** Those of `bench`, and one of every other account. */
function* collectionsOf(registry: Registry): Generator<Collection> {
  const count = ofBench.collections + Math.floor(registry.accounts / 2);
  for (let index = 0; index < count; index++) yield collectionAt(registry, index, count);
}

function collectionAt(registry: Registry, index: number, count: number): Collection {
  const { number, untilMs, accounts, size } = registry;
  const draw = new Draw(number, 18, index);
  const createdMs = untilMs - ageMs + Math.floor((index / count) * ageMs * 0.999);
  const items = index === 0 ? Math.min(ofBench.items, size.prompts) : draw.skewed(50);
  // A step that shares no divisor with the number of prompts; the most popular prompt is in every third collection.
  const first = index % 3 === 0 ? 0 : draw.below(size.prompts);
  const prompts = Array.from({ length: items }, (_, nth) =>
    promptAt(registry, (first + nth * 7_919) % size.prompts),
  );
  return {
    id: idOf("col", createdMs, index),
    index,
    owner: accountAt(registry, index < ofBench.collections ? 0 : 1 + (index % (accounts - 1))),
    title: `${wordsOf(draw, 3).join(" ")} ${index}`,
    visibility: draw.weighted([
      ["public", 80],
      ["unlisted", 10],
      ["private", 10],
    ]),
    prompts,
    createdMs,
    updatedMs: createdMs + Math.floor((untilMs - createdMs) * draw.fraction()),
  };
}
