import { createHash } from "node:crypto";
import { renderer } from "../../kernel/markdown/render.ts";
import { Draw, idOf } from "../../../test/seed/draw.ts";
import { promptAt } from "../../../test/seed/prompts.ts";
import { type Account, accountAt, ageMs, type Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, type Table } from "../../../test/seed/table.ts";
import { mediaOf } from "../media/seeds.ts";
import { searchDocument, wordsOf } from "../../../test/seed/words.ts";

/** As many as an account may have, and as many links as the gallery of one prompt gets. */
const ofBench = 1_000;

interface Make {
  id: string;
  index: number;
  owner: Account;
  slug: string;
  title: string;
  tags: string[];
  isPublic: boolean;
  stars: number;
  createdMs: number;
}

const countOf = ({ size }: Registry): number => ofBench + Math.floor(size.prompts / 4);

function makeAt(registry: Registry, index: number): Make {
  const { number, untilMs, accounts } = registry;
  const draw = new Draw(number, 21, index);
  const createdMs = untilMs - ageMs + Math.floor((index / countOf(registry)) * ageMs * 0.999);
  return {
    id: idOf("mak", createdMs, index),
    index,
    owner: accountAt(registry, index % 25 === 0 && index / 25 < ofBench ? 0 : 1 + (index % (accounts - 1))),
    slug: `make-${index}`,
    title: `${wordsOf(draw, 3).join(" ")} ${index}`,
    tags: index % 3 === 0 ? ["ai"] : [],
    isPublic: index % 10 !== 9,
    stars: draw.skewed(200),
    createdMs,
  };
}

export function* makesOf(registry: Registry): Generator<Make> {
  for (let index = 0; index < countOf(registry); index++) yield makeAt(registry, index);
}

/** Every other make links to the most popular prompt, and each to two others. */
const linksOf = (registry: Registry, { index }: Make): number[] => {
  const others = [index, index * 7 + 1].map((nth) => 1 + (nth % (registry.size.prompts - 1)));
  return [...new Set([...(index % 2 === 0 ? [0] : []), ...others])];
};

export const seeds: Table[] = [
  {
    name: "makes",
    columns: (
      "id owner_id slug title body body_html body_renderer tags status visibility remix_of_id document trending hourly_stars " +
      "created_at updated_at published_at"
    ).split(" "),
    *rows(registry) {
      for (const make of makesOf(registry)) {
        const { id, owner, slug, title, tags, isPublic, stars, index, createdMs } = make;
        const time = at(createdMs);
        const document = searchDocument([
          ["A", title],
          ["B", tags.join(" ")],
        ]);
        const origin = index % 5 === 4 ? makeAt(registry, index % 20 === 4 ? 1 : index - 1).id : null;
        const list = `{${tags.join(",")}}`;
        const said: Cell[] = [
          id,
          owner.id,
          slug,
          title,
          title,
          `<p>${title}</p>`,
          renderer,
          list,
          "published",
        ];
        said.push(isPublic ? "public" : "unlisted", origin, document, stars / (1 + (index % 97)), stars);
        yield said.concat(time, time, time);
      }
    },
  },
  {
    name: "make_slugs",
    columns: ["slug", "make_id"],
    *rows(registry) {
      for (const { slug, id } of makesOf(registry)) yield [slug, id];
    },
  },
  {
    name: "make_links",
    columns: "id make_id prompt_id owner_id version_n status decided_by decided_at is_live is_shown".split(
      " ",
    ),
    *rows(registry) {
      for (const make of makesOf(registry)) {
        for (const [nth, index] of linksOf(registry, make).entries()) {
          const prompt = promptAt(registry, index);
          if (prompt.versions === 0) continue;
          const status = make.index % 4 === 1 ? "pending" : "approved";
          const isDecided = status === "approved";
          const id = idOf("lnk", make.createdMs, make.index * 4 + nth);
          const link: Cell[] = [id, make.id, prompt.id, prompt.owner.id, 1, status];
          if (isDecided) yield link.concat(prompt.owner.id, at(make.createdMs), true, make.isPublic);
          else yield link.concat(null, null, true, false);
        }
      }
    },
  },
  {
    name: "make_parts",
    columns: "id make_id name quantity optional position".split(" "),
    *rows(registry) {
      for (const { id, index, createdMs } of makesOf(registry)) {
        const count = index === 0 ? 200 : 2;
        for (let nth = 0; nth < count; nth++)
          yield [idOf("par", createdMs, index * 256 + nth), id, `Part ${nth}`, 1, false, nth + 1];
      }
    },
  },
  {
    name: "gallery_items",
    columns: "id make_id embed position".split(" "),
    *rows(registry) {
      for (const { id, index, createdMs } of makesOf(registry)) {
        const key = createHash("md5").update(id).digest("hex");
        const url = `https://sketchfab.com/models/${key}`;
        const embed = JSON.stringify({ provider: "sketchfab", url, embedUrl: `${url}/embed` });
        yield [idOf("gal", createdMs, index), id, embed, 1];
      }
    },
  },
  {
    name: "make_files",
    columns: "id make_id media_id label position".split(" "),
    *rows(registry) {
      let index = 0;
      for (const { id: mediaId, isWaiting } of mediaOf(registry)) {
        if (isWaiting || index >= countOf(registry)) continue;
        const { id, createdMs } = makeAt(registry, index);
        yield [idOf("mfl", createdMs, index++), id, mediaId, "A file", 1];
      }
    },
  },
  {
    name: "make_stars",
    columns: "make_id user_id starred_at".split(" "),
    *rows(registry) {
      for (const { id, index, stars, createdMs } of makesOf(registry)) {
        for (let nth = 0; nth < Math.min(stars, 10); nth++)
          yield [
            id,
            accountAt(registry, 1 + ((index * 3 + nth) % (registry.accounts - 1))).id,
            at(createdMs),
          ];
      }
    },
  },
];
