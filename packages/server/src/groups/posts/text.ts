import type { AutosavePost } from "@promptreg/core";
import { type Rendered, render } from "../../kernel/markdown/rendered.ts";
import type { PostText, RevisionRow } from "./posts.sql.ts";

/** A script without spaces between its words: each character counts as one. */
const dense = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}";
const word = new RegExp(`[${dense}]|[^\\s${dense}]+`, "gu");

/** How many words a text has. */
export function countWords(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(word)) count += 1;
  return count;
}

/** The text that a request sends, rendered before its transaction; null if it sends no body. */
export interface Prepared {
  body: Rendered;
  words: number;
}

export const prepareText = async ({ body }: AutosavePost): Promise<Prepared | null> =>
  body === undefined ? null : { body: await render(body, "article"), words: countWords(body) };

/** What a text becomes with what a request sends. */
export const textWith = (
  { title, summary, body, html, renderer, words }: RevisionRow,
  sent: AutosavePost,
  prepared: Prepared | null,
): PostText => ({
  title: sent.title ?? title,
  summary: sent.summary === undefined ? summary : sent.summary,
  ...(prepared ?? { body: { text: body, html, renderer }, words }),
});

/** Whether both texts say the same. */
export const isSame = ({ title, summary, body }: RevisionRow, text: PostText): boolean =>
  title === text.title && summary === text.summary && body === (text.body.text ?? "");
