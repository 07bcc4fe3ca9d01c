import type { SearchPage } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import type { Sql } from "../../database/sql.ts";
import { extend, type Viewing } from "../prompts/index.ts";
import type { Hit } from "./engine.ts";
import {
  type FoundRow,
  selectFoundPrompts,
  selectFoundUsers,
  selectStemmed,
  selectStems,
} from "./found.sql.ts";
import { excerpt, highlight, likelyWords, type Sought } from "./highlight.ts";
import { rankMatches } from "./rank.sql.ts";

export const query: Handler<"search.query"> = async ({ query, page, caller, sql, server: { publicUrl } }) => {
  const [by, id, rank] = page.after ?? [];
  const after = page.after && { by: Number(by), id: String(id), rank: Number(rank) };
  const { hits, facets } = await rankMatches(sql, { query, caller, after, take: page.take });
  const goesOn = hits.length === page.take;
  const shown = goesOn ? hits.slice(0, -1) : hits;
  const items = await print(sql, { caller, publicUrl }, { q: query.q, hits: shown });
  const last = shown.at(-1);
  const reply = page.reply(items, { goesOn, from: last && keyOf(last) });
  return { ...reply, json: extend<SearchPage>(reply.json, `"facets":${JSON.stringify(facets)}`) };
};

const keyOf = ({ by, id, rank }: Hit) => [by, id, rank];

/** The items of hits, as far as they can still be seen, with what of them matches. */
async function print(sql: Sql, viewing: Viewing, { q, hits }: { q: string; hits: readonly Hit[] }) {
  const idsOf = (type: Hit["type"]) => hits.filter((hit) => hit.type === type).map(({ id }) => id);
  const [prompts, users, stems] = await Promise.all([
    selectFoundPrompts(sql, viewing, idsOf("prompt")),
    selectFoundUsers(sql, viewing, idsOf("user")),
    selectStems(sql, q),
  ]);
  const found = new Map(
    [...prompts, ...users].map(({ id, entity, texts }) => [id, { entity, texts: textsOf(texts) }]),
  );
  const likely = likelyWords(
    [...found.values()].flatMap(({ texts }) => Object.values(texts)),
    stems,
  );
  const words = likely.length === 0 ? [] : await selectStemmed(sql, likely, stems);
  const sought = { words: new Set(words), stems: new Set(stems) };
  return hits.flatMap((hit) => {
    const { entity, texts } = found.get(hit.id) ?? {};
    if (entity === undefined || texts === undefined) return [];
    const { type, score } = hit;
    const about = JSON.stringify({ type, score, highlights: highlightsOf(texts, sought) });
    return { item: extend(about, `"entity":${entity}`), key: keyOf(hit) };
  });
}

/** The texts of a row. The beginning of an entry file may end within a character. */
const textsOf = (texts: FoundRow["texts"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([, text]) => text !== null)
      .map(([field, text]) => [
        field,
        typeof text === "string" ? text : new TextDecoder().decode(text ?? undefined).replace(/\ufffd$/, ""),
      ]),
  );

const highlightsOf = (texts: Record<string, string>, sought: Sought) =>
  Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [
      field,
      (field === "entry" ? excerpt : highlight)(text, sought),
    ]),
  );
