import * as z from "zod";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptPath } from "../prompts/schemas.ts";

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

export const promptStars = {
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
};
