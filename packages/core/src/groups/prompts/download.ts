import * as z from "zod";
import { type FormatName, formatNames } from "../../formats/names.ts";
import { plainText } from "../../language/fields.ts";
import { flag } from "../../language/list.ts";
import { anyBytes, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptPath } from "./schemas.ts";
import { oneOfVersionAndLabel, type WhichVersion, whichVersion } from "./which-version.ts";

/** The archives that hold the files of a version as they are. */
export const archiveNames = ["zip", "tar.gz"] as const;
/** What a prompt can be downloaded as: an archive of its files, or what a tool reads. */
export type DownloadFormat = (typeof archiveNames)[number] | FormatName;

/** Which version of a prompt to download, and as what. */
export interface Download extends WhichVersion {
  /** Default: `zip`. */
  format?: DownloadFormat;
  /** Returns the file of a tool's format as it is, instead of a zip. Only if the format writes one file. */
  unwrap?: boolean;
  /**
   * With `promptfoo`: the dataset of the prompt that its tests are made of, by its name or its id. Default: the approved
   * examples.
   */
  dataset?: string;
}
const isArchive = (format: DownloadFormat = "zip") => (archiveNames as readonly string[]).includes(format);

const Download: Schema<Download> = z
  .strictObject({
    ...whichVersion,
    format: z.enum([...archiveNames, ...formatNames]).optional(),
    unwrap: flag.optional(),
    dataset: plainText({ min: 1, max: 80 }).optional(),
  })
  .refine(oneOfVersionAndLabel.check, oneOfVersionAndLabel)
  .refine(({ format, unwrap }) => !unwrap || !isArchive(format), {
    error: "goes with the format of a tool",
    path: ["unwrap"],
  })
  .refine(({ format, dataset }) => dataset === undefined || format === "promptfoo", {
    error: "goes with the format promptfoo",
    path: ["dataset"],
  });

export const download = op({
  route: "GET /prompts/{owner}/{slug}/download",
  access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
  params: PromptPath,
  query: Download,
  results: { 200: anyBytes() },
  errors: ["prompt_not_published", "format_not_supported", "format_too_large", "format_unsafe"],
});
