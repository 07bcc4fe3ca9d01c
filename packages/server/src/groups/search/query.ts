import type { SearchPage } from "@promptreg/core";
import { inTurn } from "@promptreg/core/content";
import { highlightsOf, likelyWords, type Read, readTexts } from "@promptreg/core/search";
import type { Handler } from "../../kernel/handler.ts";
import type { Sql } from "../../database/sql.ts";
import type { MediaSite } from "../../kernel/media/printed.sql.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { extend, type Viewing } from "../prompts/index.ts";
import type { Hit } from "./engine.ts";
import {
  selectFoundCollections,
  selectFoundMakes,
  selectFoundPosts,
  selectFoundPrompts,
  selectFoundUsers,
  selectStemmed,
  selectStems,
} from "./found.sql.ts";
import { rankMatches } from "./rank.sql.ts";

export const query: Handler<"search.query"> = async ({ query, page, caller, sql, server }) => {
  const [by, id, rank] = page.after ?? [];
  const after = page.after && { by: Number(by), id: String(id), rank: Number(rank) };
  const { hits, facets } = await rankMatches(sql, { query, caller, after, take: page.take });
  const goesOn = hits.length === page.take;
  const shown = goesOn ? hits.slice(0, -1) : hits;
  const items = await print(sql, lookingOf(caller, server), { q: query.q, hits: shown });
  const last = shown.at(-1);
  const reply = page.reply(items, { goesOn, from: last && keyOf(last) });
  return { ...reply, json: extend<SearchPage>(reply.json, `"facets":${JSON.stringify(facets)}`) };
};

const keyOf = ({ by, id, rank }: Hit) => [by, id, rank];

/** The items of hits, as far as they can still be seen, with what of them matches. */
async function print(
  sql: Sql,
  viewing: Viewing & MediaSite,
  { q, hits }: { q: string; hits: readonly Hit[] },
) {
  const idsOf = (type: Hit["type"]) => hits.filter((hit) => hit.type === type).map(({ id }) => id);
  const [prompts, makes, posts, collections, users, stems] = await Promise.all([
    selectFoundPrompts(sql, viewing, idsOf("prompt")),
    selectFoundMakes(sql, viewing, idsOf("make")),
    selectFoundPosts(sql, viewing, idsOf("post")),
    selectFoundCollections(sql, viewing, idsOf("collection")),
    selectFoundUsers(sql, viewing, idsOf("user")),
    selectStems(sql, q),
  ]);
  const wanted = new Set(stems);
  const found = new Map<string, { entity: string; reads: Record<string, Read> }>();
  for (const { id, entity, texts } of [...prompts, ...makes, ...posts, ...collections, ...users])
    found.set(id, { entity, reads: await inTurn(() => readTexts(texts, wanted)) });
  const likely = likelyWords([...found.values()].flatMap(({ reads }) => Object.values(reads)));
  const words = new Set(likely.length === 0 ? [] : await selectStemmed(sql, likely, stems));
  return hits.flatMap((hit) => {
    const { entity, reads } = found.get(hit.id) ?? {};
    if (entity === undefined || reads === undefined) return [];
    const { type, score } = hit;
    const about = JSON.stringify({ type, score, highlights: highlightsOf(reads, words) });
    return { item: extend(about, `"entity":${entity}`), key: keyOf(hit) };
  });
}
