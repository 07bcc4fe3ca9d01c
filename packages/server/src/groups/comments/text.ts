import { handle, limits } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { wordsOf } from "../../kernel/input/words.ts";
import { renderer, renderPlain } from "../../kernel/markdown/render.ts";
import { type Rendered, render } from "../../kernel/markdown/rendered.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { selectHabits, selectMentioned, type Written } from "./comments.sql.ts";

/** So many links make a comment look like spam, whoever wrote it. */
const manyLinks = 3;
/** So many handles of a text are looked up. */
const mostHandles = 100;

/** A text with what is found in it before the transaction. */
export interface ReadText {
  body: Rendered;
  handles: string[];
  links: number;
  hasHeldWord: boolean;
}

/** Renders a text, and finds in it what decides who hears of it and whether it is held. */
export async function readText(
  text: string,
  { heldWords }: Pick<ServerContext, "heldWords">,
): Promise<ReadText> {
  const rendered = await render(text);
  // What finds too many before it stays as it was written, for good: what is judged now is what is shown.
  const html = rendered.html ?? renderPlain(text);
  const body = { text, html, renderer };
  // As it is written, and as it is read: entities and marks of Markdown can stand between letters.
  const words = wordsOf(text) + wordsOf(textOf(html));
  return {
    body,
    handles: handlesIn(html),
    // Also those in a text that costs too much to be rendered.
    links: Math.max(html.split("<a ").length, text.split(/https?:\/\//i).length) - 1,
    hasHeldWord: heldWords.some((word) => words.includes(word)),
  };
}

/** The text of our own HTML. It has no `<` and `>` but those of its tags, and these entities alone. */
const textOf = (html: string): string =>
  html
    .replace(/<\/?(?:p|li|ul|ol|h[1-6]|blockquote|pre|br|hr|t[a-z]*)\b[^<>]*>/g, " ")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, " ");

/** Text of these is not read for handles. */
const unread = new Set(["pre", "code", "a"]);

/** The handles that are mentioned in our own HTML, each once. It has no `<` and `>` but those of its tags. */
function handlesIn(html: string): string[] {
  const found = new Set<string>();
  let depth = 0;
  for (const piece of html.split("<")) {
    const [tag = "", text = ""] = piece.split(">");
    if (unread.has(/\/?(\w*)/.exec(tag)?.[1] ?? "")) depth += tag.startsWith("/") ? -1 : 1;
    if (depth > 0) continue;
    for (const [, name = "", slash] of text.matchAll(/(?<![\w@/.-])@([\w-]*)(\/?)/g)) {
      const wanted = name.toLowerCase();
      // `@scope/package` is none.
      if (slash === "" && handle.safeParse(wanted).success) found.add(wanted);
      if (found.size === mostHandles) return [...found];
    }
  }
  return [...found];
}

/** What is to be written of a text, by the habits of its author, and the id of a comment with it. */
export async function judge(
  sql: Sql,
  author: Pick<Caller, "id" | "role">,
  { body, handles, links, hasHeldWord }: ReadText,
): Promise<Written & { newId: string }> {
  // Sent without waiting for each other.
  const [mentions, , { newId, isNew, isRepeated }] = await Promise.all([
    selectMentioned(sql, handles, limits.mentionsPerComment),
    // So that two equal texts at once are seen. A query of its own is sent when it is awaited, which would be after that of a function.
    lockAccount(sql, author.id).execute(),
    selectHabits(sql, { authorId: author.id, text: body.text }),
  ]);
  // A moderator would only show it again.
  const isJudged = author.role === "user";
  const isSuspicious = isRepeated || hasHeldWord || links >= manyLinks || (isNew && links > 0);
  return { newId, body, mentions, isHeld: isJudged && isSuspicious };
}
