import * as z from "zod";
import type { WatchLevel } from "../../event.ts";
import { timestamp } from "../../fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../list.ts";
import { empty, json, op } from "../../operation.ts";
import type { Schema } from "../../schema.ts";
import { PromptPath, PromptSummary } from "../prompts/schemas.ts";

/** How closely an account follows a prompt; with `ignore` it hears of nothing. */
export type WatchSetting = WatchLevel | "ignore";
const WatchSetting: Schema<WatchSetting> = z.enum(["releases", "all", "ignore"]).meta({ id: "WatchLevel" });

/** That an account follows a prompt. */
export interface Watch {
  level: WatchSetting;
  /** Since when, whatever the level was; for a prompt of one's own, since it was made. */
  watchedAt: string;
}
const fields = { level: WatchSetting, watchedAt: timestamp };
export const Watch: Schema<Watch> = z.strictObject(fields).meta({ id: "Watch" });

/** How the caller follows a prompt; null when not at all. */
export interface CurrentWatch {
  watch: Watch | null;
}
const CurrentWatch: Schema<CurrentWatch> = z
  .strictObject({ watch: z.nullable(Watch) })
  .meta({ id: "CurrentWatch" });

/** How the caller follows a prompt from now on. */
export interface SavedWatch {
  watch: Watch;
}
const SavedWatch: Schema<SavedWatch> = z.strictObject({ watch: Watch }).meta({ id: "SavedWatch" });

/** How closely a prompt is to be followed. */
export interface PutWatch {
  /** `releases` hears of versions and labels, `all` of what people do with the prompt as well. */
  level: WatchSetting;
}
const PutWatch: Schema<PutWatch> = z.strictObject({ level: WatchSetting }).meta({ id: "PutWatch" });

/** A prompt that the caller follows. */
export interface WatchedPrompt extends Watch {
  prompt: PromptSummary;
}
export const WatchedPrompt: Schema<WatchedPrompt> = z
  .strictObject({ ...fields, prompt: PromptSummary })
  .meta({ id: "WatchedPrompt" });

export interface ListWatches extends PageQuery {
  /** Only those at this level. */
  level?: WatchSetting;
}
const ListWatches: Schema<ListWatches> = z.strictObject({ ...pageQuery(), level: WatchSetting.optional() });

export const watch = {
  /** Gets how the caller follows a prompt. One's own are followed at `all` until that is changed. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/watch",
    access: { auth: "required", scope: "read", on: "prompt" },
    params: PromptPath,
    results: { 200: json(CurrentWatch) },
  }),
  /** Follows a prompt, or changes how closely. */
  put: op({
    route: "PUT /prompts/{owner}/{slug}/watch",
    access: { auth: "required", scope: "write", on: "prompt" },
    params: PromptPath,
    body: json(PutWatch),
    results: { 200: json(SavedWatch) },
    errors: ["quota_exceeded"],
  }),
  /** Stops following a prompt; one's own goes back to `all`. */
  delete: op({
    route: "DELETE /prompts/{owner}/{slug}/watch",
    access: { auth: "required", scope: "write", on: "prompt" },
    params: PromptPath,
    results: { 204: empty() },
  }),
  /** Lists the prompts that the caller follows, newest first. Those that the caller cannot see now are left out. */
  list: op({
    route: "GET /me/watches",
    access: { auth: "required", scope: "read" },
    query: ListWatches,
    results: { 200: json<Page<WatchedPrompt>>(pageOf(WatchedPrompt)) },
    errors: ["invalid_cursor"],
  }),
};
