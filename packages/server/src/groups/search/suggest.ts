import type { Suggestion } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { type Completing, selectAlike, selectBeginning } from "./suggest.sql.ts";

const most = 10;
/** With fewer names than this that begin like the text, names are added that are almost like it. */
const little = 3;
/** Shorter texts are like too many names. */
const shortest = 4;

export const suggest: Handler<"search.suggest"> = async ({ query, caller, server: { sql } }) => {
  const { q, type, limit = most } = query;
  const completing: Completing = { text: q.trim(), type, caller, most };
  const items = await selectBeginning(sql, completing);
  const isName = completing.text.length >= shortest && !completing.text.includes("/");
  if (items.length < little && isName) {
    const known = new Set(items.map(nameOf));
    items.push(...(await selectAlike(sql, completing)).filter((item) => !known.has(nameOf(item))));
  }
  return { status: 200, json: { items: mixed(items, limit), nextCursor: null }, etag: null };
};

const nameOf = ({ type, value }: Suggestion) => `${type}:${value}`;

/** As many as wanted: tags and accounts keep some room beside prompts. */
function mixed(items: readonly Suggestion[], limit: number): Suggestion[] {
  const room = Math.ceil(limit / 4);
  const of = (type: Suggestion["type"]) => items.filter((item) => item.type === type);
  const [prompts, tags, users] = [of("prompt"), of("tag"), of("user")];
  const others = Math.min(room, tags.length) + Math.min(room, users.length);
  const shown = [
    ...prompts.slice(0, Math.max(1, limit - others)),
    ...tags.slice(0, Math.max(room, limit - prompts.length - Math.min(room, users.length))),
    ...users.slice(0, Math.max(room, limit - prompts.length - Math.min(room, tags.length))),
  ];
  return shown.slice(0, limit);
}
