import * as z from "zod";
import { versionNumber, versionNumberText, labelName } from "../../fields.ts";
import { json, largeBody, op, type Schema } from "../../operation.ts";
import {
  CommittedVersion,
  FileInput,
  message,
  type PromptPath,
  PromptPath as PromptPathSchema,
  promptPath,
  Version,
} from "./schemas.ts";

/** The files of a new version. */
export interface CommitVersion {
  /** The whole content of the version; the saved draft is committed, and cleared, when absent. */
  files?: FileInput[];
  message?: string | null;
  /** The version this one was made from: refused when another one came in between. */
  baseVersionNumber?: number | null;
  /** Labels to create or move to the new version in the same breath. */
  labels?: string[];
}
export const CommitVersion: Schema<CommitVersion> = z
  .strictObject({
    files: z.array(FileInput).min(1).max(200).optional(),
    message: message.nullish(),
    baseVersionNumber: versionNumber.nullish(),
    labels: z.array(labelName).max(50).optional(),
  })
  .meta({ id: "CommitVersion" });

/** A prompt's address with a version's number. */
export interface VersionPath extends PromptPath {
  /** The number of the version. */
  n: number;
}
export const VersionPath: Schema<VersionPath> = z.strictObject({ ...promptPath, n: versionNumberText });

export const versions = {
  /** Commits a new immutable version from the files sent, or from the saved draft when none are. */
  create: op({
    route: "POST /prompts/{owner}/{slug}/versions",
    access: { auth: "required", scope: "write", on: "prompt", allow: ["owner"] },
    params: PromptPathSchema,
    body: json(CommitVersion, largeBody),
    results: { 201: json(CommittedVersion) },
    errors: [
      "version_conflict",
      "no_changes",
      "draft_required",
      "quota_exceeded",
      "invalid_file",
      "invalid_entry",
      "invalid_variables",
    ],
    emits: ["prompt.version.created", "prompt.published", "prompt.label.moved"],
  }),
  /** Gets one version with its files. The answer never changes and may be kept for a year. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/versions/{n}",
    access: { auth: "optional", scope: "read", on: "prompt" },
    params: VersionPath,
    query: z.strictObject({ files: z.enum(["full", "meta"]).optional() }) as Schema<{
      files?: "full" | "meta";
    }>,
    results: { 200: json(Version) },
  }),
};
