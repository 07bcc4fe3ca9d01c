import * as z from "zod";
import type { WatchLevel } from "../../language/event.ts";
import { timestamp } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptPath, PromptSummary } from "../prompts/schemas.ts";

/** The level at which an account watches a prompt. `ignore`: it receives nothing. */
export type WatchSetting = WatchLevel | "ignore";
const WatchSetting: Schema<WatchSetting> = z.enum(["releases", "all", "ignore"]).meta({ id: "WatchLevel" });

/** How an account watches a prompt. */
export interface Watch {
  level: WatchSetting;
  /** Since when, at whatever level. For your own prompt: since its creation. */
  watchedAt: string;
}
const fields = { level: WatchSetting, watchedAt: timestamp };
export const Watch: Schema<Watch> = z.strictObject(fields).meta({ id: "Watch" });

/** How you watch a prompt; null if you do not. */
export interface CurrentWatch {
  watch: Watch | null;
}
const CurrentWatch: Schema<CurrentWatch> = z
  .strictObject({ watch: z.nullable(Watch) })
  .meta({ id: "CurrentWatch" });

/** How you now watch a prompt. */
export interface SavedWatch {
  watch: Watch;
}
const SavedWatch: Schema<SavedWatch> = z.strictObject({ watch: Watch }).meta({ id: "SavedWatch" });

/** The level at which to watch a prompt. */
export interface PutWatch {
  /** `releases`: versions and labels. `all`: also what people do with the prompt. `ignore`: nothing. */
  level: WatchSetting;
}
const PutWatch: Schema<PutWatch> = z.strictObject({ level: WatchSetting }).meta({ id: "PutWatch" });

/** A prompt that you watch. */
export interface WatchedPrompt extends Watch {
  prompt: PromptSummary;
}
export const WatchedPrompt: Schema<WatchedPrompt> = z
  .strictObject({ ...fields, prompt: PromptSummary })
  .meta({ id: "WatchedPrompt" });

/** Which watched prompts to list. */
export interface ListWatches extends PageQuery {
  /** Only those at this level. */
  level?: WatchSetting;
}
const ListWatches: Schema<ListWatches> = z.strictObject({ ...pageQuery(), level: WatchSetting.optional() });

export const watch = {
  /** Gets how you watch a prompt. You watch your own prompts at `all` until you change that. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/watch",
    access: { auth: "required", scope: "read", on: { prompt: "viewers" } },
    params: PromptPath,
    results: { 200: json(CurrentWatch) },
  }),
  /** Watches a prompt, or changes the level. */
  put: op({
    route: "PUT /prompts/{owner}/{slug}/watch",
    access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
    params: PromptPath,
    body: json(PutWatch),
    results: { 200: json(SavedWatch) },
    errors: ["quota_exceeded"],
  }),
  /** Stops watching a prompt. Your own prompt goes back to `all`. */
  delete: op({
    route: "DELETE /prompts/{owner}/{slug}/watch",
    access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
    params: PromptPath,
    results: { 204: empty() },
  }),
  /** Lists the prompts that you watch, newest first. Prompts that you cannot see any more are left out. */
  list: op({
    route: "GET /me/watches",
    access: { auth: "required", scope: "read" },
    query: ListWatches,
    results: { 200: json<Page<WatchedPrompt>>(pageOf(WatchedPrompt)) },
    errors: ["invalid_cursor"],
  }),
};
