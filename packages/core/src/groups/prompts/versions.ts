import * as z from "zod";
import { prose, versionNumber, versionNumberText } from "../../language/fields.ts";
import { type Page, pageOf, type PageQuery, pageQuery } from "../../language/list.ts";
import { empty, json, largeBody, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import {
  CommittedVersion,
  FileInput,
  labelNames,
  message,
  PromptPath,
  promptPath,
  Version,
  VersionSummary,
} from "./schemas.ts";

/** The files of a new version. */
export interface CommitVersion {
  /** All files of the version. When absent, the saved draft is committed and cleared. */
  files?: FileInput[];
  message?: string | null;
  /** The version that this one is based on. The commit is refused if a newer version exists. */
  baseVersionNumber?: number | null;
  /** Labels to create or move to the new version in the same transaction. */
  labels?: string[];
}
export const CommitVersion: Schema<CommitVersion> = z
  .strictObject({
    files: z.array(FileInput).min(1).max(200).optional(),
    message: message.nullish(),
    baseVersionNumber: versionNumber.nullish(),
    labels: labelNames.optional(),
  })
  .meta({ id: "CommitVersion" });

/** The message of a restored version. */
export interface RestoreVersion {
  message?: string | null;
}
export const RestoreVersion: Schema<RestoreVersion> = z
  .strictObject({ message: message.nullish() })
  .meta({ id: "RestoreVersion" });

/** Why a version should not be used. */
export interface YankVersion {
  /** The owner sees it in the list of versions. */
  reason?: string | null;
}
export const YankVersion: Schema<YankVersion> = z
  .strictObject({ reason: prose({ max: 500 }).nullish() })
  .meta({ id: "YankVersion" });

/** A prompt's address with a version's number. */
export interface VersionPath extends PromptPath {
  /** The number of the version. */
  n: number;
}
export const VersionPath: Schema<VersionPath> = z.strictObject({ ...promptPath, n: versionNumberText });

export const versions = {
  /** Lists the versions of a prompt, newest first. Only the owner sees yanked versions. */
  list: op({
    route: "GET /prompts/{owner}/{slug}/versions",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: PromptPath,
    query: z.strictObject(pageQuery()) as Schema<PageQuery>,
    results: { 200: json<Page<VersionSummary>>(pageOf(VersionSummary)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Commits a new immutable version from the files sent. Without files it commits the saved draft, which needs a token
   * that can also read.
   */
  create: op({
    route: "POST /prompts/{owner}/{slug}/versions",
    access: {
      auth: "required",
      scope: "write",
      on: { prompt: ["owner"] },
      restricted: { creates: true, labels: "body.labels" },
    },
    params: PromptPath,
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
  /** Gets one version with its files. The response never changes and can be cached for a year. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/versions/{n}",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: VersionPath,
    query: z.strictObject({ files: z.enum(["full", "meta"]).optional() }) as Schema<{
      /** `meta` leaves the files' contents out. */
      files?: "full" | "meta";
    }>,
    results: { 200: json(Version) },
  }),
  /**
   * Restores an old version as the next one. Its files were checked before, so there are no warnings. A yanked version
   * can be restored too.
   */
  restore: op({
    route: "POST /prompts/{owner}/{slug}/versions/{n}/restore",
    access: { auth: "required", scope: "write", on: { prompt: ["owner"] }, restricted: { creates: true } },
    params: VersionPath,
    body: json(RestoreVersion),
    results: { 201: json(CommittedVersion), 204: empty() },
    errors: ["no_changes", "quota_exceeded"],
    emits: ["prompt.version.created"],
  }),
  /**
   * Yanks a version: only its owner still sees it in lists, and it cannot be labelled. Clients that pinned it still get
   * it. The owner must first move the labels that point to it. A moderator's yank deletes these labels, and only a
   * moderator can undo it.
   */
  yank: op({
    route: "POST /prompts/{owner}/{slug}/versions/{n}/yank",
    access: { auth: "required", scope: "write", on: { prompt: ["owner", "moderator"] } },
    params: VersionPath,
    body: json(YankVersion),
    results: { 200: json(VersionSummary), 204: empty() },
    errors: ["version_labelled"],
  }),
  /** Undoes a yank. The owner can undo their own; a moderator can undo a moderator's. */
  unyank: op({
    route: "DELETE /prompts/{owner}/{slug}/versions/{n}/yank",
    access: { auth: "required", scope: "write", on: { version: ["yanker"] } },
    params: VersionPath,
    results: { 200: json(VersionSummary), 204: empty() },
  }),
};
