import * as z from "zod";
import { timestamp } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptKind, PromptSummary } from "../prompts/schemas.ts";
import { makeStars } from "./makes.ts";
import { promptStars } from "./prompts.ts";

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

// So that the published declarations lead to it, and editors show its documentation.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const stars = {
  /** Lists the prompts that you starred, newest star first. Prompts that you cannot see any more are left out. */
  list: op({
    route: "GET /me/stars",
    access: { auth: "required", scope: "read" },
    query: ListStars,
    results: { 200: json<Page<StarredPrompt>>(pageOf(StarredPrompt)) },
    errors: ["invalid_cursor"],
  }),
  prompts: promptStars as typeof promptStars,
  makes: makeStars as typeof makeStars,
};
