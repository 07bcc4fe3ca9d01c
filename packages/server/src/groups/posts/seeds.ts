import { renderer } from "../../kernel/markdown/render.ts";
import { Draw, idOf } from "../../../test/seed/draw.ts";
import { type Account, accountAt, ageMs, type Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, type Table } from "../../../test/seed/table.ts";
import { searchDocument, wordsOf } from "../../../test/seed/words.ts";

/** Posts and series of `bench`; its first series is full, and its first post has all the revisions that it may have. */
const ofBench = { posts: 400, series: 200, parts: 200, revisions: 100 };

interface Post {
  id: string;
  index: number;
  owner: Account;
  title: string;
  tags: string[];
  status: "draft" | "in_review" | "published";
  /** Its number among those of `bench`. */
  nth: number | null;
  revisions: number;
  createdMs: number;
}

const countOf = ({ size }: Registry): number => 5 * ofBench.posts + Math.floor(size.prompts / 4);

function postAt(registry: Registry, index: number): Post {
  const { number, untilMs, accounts } = registry;
  const draw = new Draw(number, 22, index);
  const createdMs = untilMs - ageMs + Math.floor((index / countOf(registry)) * ageMs * 0.999);
  const nth = index % 5 === 0 && index / 5 < ofBench.posts ? index / 5 : null;
  return {
    id: idOf("pst", createdMs, index),
    index,
    owner: accountAt(registry, nth === null ? 1 + (index % (accounts - 1)) : 0),
    title: `${wordsOf(draw, 3).join(" ")} ${index}`,
    tags: index % 3 === 0 ? ["ai"] : [],
    status: index % 10 === 9 ? "draft" : index % 50 === 8 ? "in_review" : "published",
    nth,
    revisions: nth === 0 ? ofBench.revisions : 2,
    createdMs,
  };
}

function* postsOf(registry: Registry): Generator<Post> {
  for (let index = 0; index < countOf(registry); index++) yield postAt(registry, index);
}

const seriesId = ({ untilMs }: Registry, nth: number) => idOf("ser", untilMs - ageMs + nth, nth);
const revisionId = ({ createdMs, index }: Post, nth: number) => idOf("rev", createdMs, index * 128 + nth);
/** The number of the series of `bench` that a post belongs to. */
const seriesOf = ({ nth }: Post): number | null =>
  nth === null ? null : nth < ofBench.parts ? 0 : 1 + (nth % (ofBench.series - 1));

export const seeds: Table[] = [
  {
    name: "post_series",
    columns: "id owner_id slug title post_ids".split(" "),
    *rows(registry) {
      const parts = Array.from({ length: ofBench.series }, (): string[] => []);
      for (const post of postsOf(registry)) {
        const series = seriesOf(post);
        if (series !== null) parts[series]?.push(post.id);
      }
      for (const [nth, ids] of parts.entries())
        yield [
          seriesId(registry, nth),
          accountAt(registry, 0).id,
          `series-${nth}`,
          `Series ${nth}`,
          `{${ids.join(",")}}`,
        ];
      for (let nth = 0; nth < registry.accounts; nth++)
        yield [seriesId(registry, ofBench.series + nth), accountAt(registry, nth).id, "own", "Own", "{}"];
    },
  },
  {
    name: "posts",
    columns:
      "id owner_id slug tags created_at updated_at document score series_id working_id status public_id published_at submitted_at".split(
        " ",
      ),
    *rows(registry) {
      for (const post of postsOf(registry)) {
        const { id, index, owner, title, tags, status, revisions, createdMs } = post;
        const time = at(createdMs);
        const document = searchDocument([
          ["A", title],
          ["B", tags.join(" ")],
        ]);
        const series = seriesOf(post);
        const working = revisionId(post, revisions);
        const said: Cell[] = [id, owner.id, `post-${index}`, `{${tags.join(",")}}`, time, time];
        said.push(document, (index % 97) / 97, series === null ? null : seriesId(registry, series), working);
        if (status === "published") yield said.concat(status, working, time, null);
        else yield said.concat(status, null, null, status === "in_review" ? time : null);
      }
    },
  },
  {
    name: "post_revisions",
    columns: "id post_id number kind author_id title body body_html body_renderer words created_at".split(
      " ",
    ),
    *rows(registry) {
      for (const post of postsOf(registry)) {
        const { id, owner, title, status, revisions, createdMs } = post;
        for (let nth = 1; nth <= revisions; nth++) {
          const kind = nth === revisions && status === "published" ? "publish" : "save";
          const text: Cell[] = [title, title, `<p>${title}</p>`, renderer, 4, at(createdMs)];
          yield [revisionId(post, nth), id, nth, kind, owner.id].concat(text as string[]);
        }
      }
    },
  },
];
