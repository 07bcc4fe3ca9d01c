import * as z from "zod";
import { timestamp, versionNumber } from "../../language/fields.ts";
import { empty, json, largeBody, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import type { Problem as ProblemShape } from "../../content/problem.ts";
import { FileInput, message, PromptPath } from "./schemas.ts";

/** The files of the draft, and the message of their commit. */
export interface SaveDraft {
  /** All files of the draft. It can be empty. */
  files: FileInput[];
  message?: string | null;
  /** The version that the draft is based on. Its commit is refused if a newer version exists. */
  baseVersionNumber?: number | null;
}
export const SaveDraft: Schema<SaveDraft> = z
  .strictObject({
    files: z.array(FileInput).max(200),
    message: message.nullish(),
    baseVersionNumber: versionNumber.nullish(),
  })
  .meta({ id: "SaveDraft" });

/** A file as it was sent, with the defaults written out. */
export type DraftFile = Required<FileInput>;
const DraftFile: Schema<DraftFile> = z
  .strictObject({
    path: z.string(),
    content: z.string(),
    encoding: z.enum(["utf8", "base64"]),
    mode: z.enum(["100644", "100755"]),
  })
  .meta({ id: "DraftFile" });

const Problem: Schema<ProblemShape> = z
  .strictObject({
    code: z.enum(["invalid_file", "invalid_entry", "invalid_variables", "payload_too_large"]),
    path: z.string(),
    message: z.string(),
  })
  .meta({ id: "Problem" });

/** The owner's unpublished changes between two versions of a prompt. */
export interface Draft {
  files: DraftFile[];
  message: string | null;
  /** The version that it is based on. */
  baseVersionNumber: number | null;
  updatedAt: string;
  /** In bytes, over all files. */
  size: number;
  /** What a commit would refuse. Empty if these files can become a version. */
  problems: ProblemShape[];
}
export const Draft: Schema<Draft> = z
  .strictObject({
    files: z.array(DraftFile),
    message: z.string().nullable(),
    baseVersionNumber: versionNumber.nullable(),
    updatedAt: timestamp,
    size: z.int(),
    problems: z.array(Problem),
  })
  .meta({ id: "Draft" });

/** The draft of a prompt, or null. */
export interface CurrentDraft {
  draft: Draft | null;
}
const CurrentDraft: Schema<CurrentDraft> = z
  .strictObject({ draft: z.nullable(Draft) })
  .meta({ id: "CurrentDraft" });

/** The draft that was saved. */
export interface SavedDraft {
  draft: Draft;
}
const SavedDraft: Schema<SavedDraft> = z.strictObject({ draft: Draft }).meta({ id: "SavedDraft" });

export const draft = {
  /** Gets the working draft of a prompt; `draft` is null when there is none. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/draft",
    access: { auth: "required", scope: "read", on: { prompt: ["owner"] }, restricted: {} },
    params: PromptPath,
    results: { 200: json(CurrentDraft) },
  }),
  /**
   * Saves the working draft of a prompt and replaces the previous draft. Only paths, sizes and content are checked now.
   * `problems` lists what else a commit would refuse. `If-Match` takes the ETag of the draft, not of the prompt.
   */
  put: op({
    route: "PUT /prompts/{owner}/{slug}/draft",
    access: { auth: "required", scope: "write", on: { prompt: ["owner"] }, restricted: { creates: true } },
    params: PromptPath,
    body: json(SaveDraft, largeBody),
    results: { 200: json(SavedDraft) },
    errors: ["invalid_file", "quota_exceeded"],
  }),
  /**
   * Discards the working draft of a prompt. Refused while the prompt has no version, because the draft is then its only
   * content.
   */
  delete: op({
    route: "DELETE /prompts/{owner}/{slug}/draft",
    access: { auth: "required", scope: "write", on: { prompt: ["owner"] }, restricted: { creates: true } },
    params: PromptPath,
    results: { 204: empty() },
    errors: ["draft_required"],
  }),
};
