import * as z from "zod";
import { timestamp } from "../../fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../list.ts";
import { json, op } from "../../operation.ts";
import type { Schema } from "../../schema.ts";
import { PromptKind, PromptPath, PromptSummary } from "../prompts/schemas.ts";

/** That you starred something, and how many stars it has with yours. */
export interface Starred {
  starred: true;
  starCount: number;
}
const Starred: Schema<Starred> = z
  .strictObject({ starred: z.literal(true), starCount: z.int() })
  .meta({ id: "Starred" });

/** That you have no star on something, and how many stars it has without yours. */
export interface Unstarred {
  starred: false;
  starCount: number;
}
const Unstarred: Schema<Unstarred> = z
  .strictObject({ starred: z.literal(false), starCount: z.int() })
  .meta({ id: "Unstarred" });

/** A prompt that you starred. */
export interface StarredPrompt {
  starredAt: string;
  prompt: PromptSummary;
}
export const StarredPrompt: Schema<StarredPrompt> = z
  .strictObject({ starredAt: timestamp, prompt: PromptSummary })
  .meta({ id: "StarredPrompt" });

/** Which starred prompts to list. */
export interface ListStars extends PageQuery {
  /** Only prompts of this kind. */
  kind?: PromptKind;
}
const ListStars: Schema<ListStars> = z.strictObject({ ...pageQuery(), kind: PromptKind.optional() });

export const stars = {
  /** Lists the prompts that you starred, newest star first. Prompts that you cannot see any more are left out. */
  list: op({
    route: "GET /me/stars",
    access: { auth: "required", scope: "read" },
    query: ListStars,
    results: { 200: json<Page<StarredPrompt>>(pageOf(StarredPrompt)) },
    errors: ["invalid_cursor"],
  }),
  prompts: {
    /** Stars a prompt. A second star of yours changes nothing. */
    add: op({
      route: "POST /prompts/{owner}/{slug}/star",
      access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
      params: PromptPath,
      results: { 200: json(Starred) },
      errors: ["prompt_not_published"],
    }),
    /** Removes your star from a prompt, if there is one. */
    remove: op({
      route: "DELETE /prompts/{owner}/{slug}/star",
      access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
      params: PromptPath,
      results: { 200: json(Unstarred) },
    }),
  },
};
