import * as z from "zod";
import { slug, versionNumber } from "../../language/fields.ts";
import { empty, json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { CreatedPrompt, PromptPath, Visibility } from "./schemas.ts";

/** What to fork, and under which name. */
export interface CreateFork {
  /** Default: the slug of the source. If you have used that already, `-2`, `-3` and so on is added. */
  slug?: string;
  /** Default: that of the source. */
  visibility?: Visibility;
  /** Default: the latest version. */
  versionNumber?: number;
}
export const CreateFork: Schema<CreateFork> = z
  .strictObject({
    slug: slug.optional(),
    visibility: Visibility.optional(),
    versionNumber: versionNumber.optional(),
  })
  .meta({ id: "CreateFork" });

export const forks = {
  /**
   * Copies a version of a prompt into a prompt of your own, as its version 1. Title, summary, tags, license and rating
   * are copied too; labels and eval runs are not.
   */
  create: op({
    route: "POST /prompts/{owner}/{slug}/forks",
    access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
    params: PromptPath,
    body: json(CreateFork),
    results: { 201: json(CreatedPrompt), 204: empty() },
    errors: ["slug_taken", "quota_exceeded", "prompt_not_published", "version_yanked"],
    emits: ["prompt.version.created"],
  }),
};
