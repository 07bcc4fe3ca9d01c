import * as z from "zod";
import { id, ref, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptKind, Variable } from "../prompts/schemas.ts";

/** The id of an item. Those of earlier releases begin with `imi_`, and can be read for 90 days. */
export const itemId: Schema<string> = z.union([id("iim"), id("imi")], {
  error: "must be an id: iim_ and 26 letters and digits",
});

/** A prompt, or another item of the import, with the same text or nearly the same. */
export interface DuplicateMatch {
  type: "prompt" | "item";
  /** `owner/slug` of a prompt, or the id of an item. */
  ref: string;
  /** Of a prompt: the version that was compared. */
  versionNumber?: number;
  /** From 0 to 1. */
  similarity: number;
  /** Whether it is yours. */
  own: boolean;
}
const DuplicateMatch: Schema<DuplicateMatch> = z
  .strictObject({
    type: z.enum(["prompt", "item"]),
    ref: z.string(),
    versionNumber: z.int().optional(),
    similarity: z.number(),
    own: z.boolean(),
  })
  .meta({ id: "DuplicateMatch" });

/** What became of an item: the prompt that was created, or why none was. */
export type ItemResult = { ref: string } | { error: { code: string; message: string } };

/** A prompt that an import found. */
export interface DetectedItem {
  id: string;
  /** The name of the format that it was found in, such as `cursor-rule`. */
  detector: string;
  kind: PromptKind;
  title: string;
  /** The slug that it would get. The commit makes it unique. */
  slug: string;
  summary: string | null;
  tags: string[];
  /** An SPDX expression; null where nothing says one, with a warning. */
  license: string | null;
  /** The file that it was found in. */
  sourcePath: string;
  /** Where in the file, if it holds several prompts: `row 12`. */
  part: string | null;
  /** The files that the draft would have. */
  files: { path: string; size: number }[];
  /** The first 2,000 characters of the entry file. */
  preview: string;
  variables: Variable[];
  /** How sure it is that this is a prompt, from 0 to 1. */
  confidence: number;
  /** Whether a commit without `items` takes it. */
  selected: boolean;
  /** A hint. It prevents nothing. */
  duplicate: { level: "none" | "near" | "exact"; matches: DuplicateMatch[] };
  /** What was changed, what was lost, and what to look at. */
  warnings: string[];
  state: "detected" | "committed" | "skipped" | "failed";
  result: ItemResult | null;
}
export const DetectedItem: Schema<DetectedItem> = z
  .strictObject({
    id: itemId,
    detector: z.string(),
    kind: PromptKind,
    title: z.string(),
    slug,
    summary: z.string().nullable(),
    tags: z.array(z.string()),
    license: z.string().nullable(),
    sourcePath: z.string(),
    part: z.string().nullable(),
    files: z.array(z.strictObject({ path: z.string(), size: z.int() })),
    preview: z.string(),
    variables: z.array(Variable),
    confidence: z.number(),
    selected: z.boolean(),
    duplicate: z.strictObject({
      level: z.enum(["none", "near", "exact"]),
      matches: z.array(DuplicateMatch),
    }),
    warnings: z.array(z.string()),
    state: z.enum(["detected", "committed", "skipped", "failed"]),
    result: z
      .union([
        z.strictObject({ ref }),
        z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) }),
      ])
      .nullable(),
  })
  .meta({ id: "DetectedItem" });
