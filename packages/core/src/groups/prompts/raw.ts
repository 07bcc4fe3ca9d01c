import * as z from "zod";
import { plainText } from "../../language/fields.ts";
import { op, text } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { type PromptPath, PromptPath as PromptPathSchema, promptPath } from "./schemas.ts";
import { oneOfVersionAndLabel, type WhichVersion, whichVersion } from "./which-version.ts";

const filePath = plainText({ min: 1, max: 255 });

/** Which file of which version to get. */
export interface GetRaw extends WhichVersion {
  /** The path of the file. Default: the entry file. */
  path?: string;
}
const GetRaw: Schema<GetRaw> = z
  .strictObject({ ...whichVersion, path: filePath.optional() })
  .refine(oneOfVersionAndLabel.check, oneOfVersionAndLabel);

/** A prompt's address with the path of a file. */
export interface FilePath extends PromptPath {
  /** The path of the file, relative to the root of the prompt. Slashes need no encoding. */
  path: string;
}
const FilePath: Schema<FilePath> = z.strictObject({ ...promptPath, path: filePath });

const GetRawFile: Schema<WhichVersion> = z
  .strictObject(whichVersion)
  .refine(oneOfVersionAndLabel.check, oneOfVersionAndLabel);

export const raw = {
  /** Gets the entry file, or the one at `path`, as text. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/raw",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: PromptPathSchema,
    query: GetRaw,
    results: { 200: text() },
    errors: ["prompt_not_published", "not_text"],
  }),
  /** Gets a file as text. The address ends with the path of the file. */
  getFile: op({
    route: "GET /prompts/{owner}/{slug}/raw/{path*}",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: FilePath,
    query: GetRawFile,
    results: { 200: text() },
    errors: ["prompt_not_published", "not_text"],
  }),
};
