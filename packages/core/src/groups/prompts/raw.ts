import * as z from "zod";
import { plainText } from "../../fields.ts";
import { op, type Schema, text } from "../../operation.ts";
import { PromptPath } from "./schemas.ts";
import { oneOfVersionAndLabel, type WhichVersion, whichVersion } from "./which-version.ts";

export interface GetRaw extends WhichVersion {
  /** The file wanted; the entry file when absent. */
  path?: string;
}
const GetRaw: Schema<GetRaw> = z
  .strictObject({ ...whichVersion, path: plainText({ min: 1, max: 255 }).optional() })
  .refine(oneOfVersionAndLabel.check, oneOfVersionAndLabel);

export const raw = {
  /** Gets the entry file, or the one at `path`, as text. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/raw",
    access: { auth: "optional", scope: "read", on: "prompt" },
    params: PromptPath,
    query: GetRaw,
    results: { 200: text() },
    errors: ["prompt_not_published", "not_text"],
  }),
};
