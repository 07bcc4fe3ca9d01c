import * as z from "zod";
import { prose, versionNumber, versionNumberText } from "../../fields.ts";
import { type Page, pageOf, type PageQuery, pageQuery } from "../../list.ts";
import { empty, json, largeBody, op } from "../../operation.ts";
import type { Schema } from "../../schema.ts";
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
    labels: labelNames.optional(),
  })
  .meta({ id: "CommitVersion" });

/** What a restored version says of itself. */
export interface RestoreVersion {
  message?: string | null;
}
export const RestoreVersion: Schema<RestoreVersion> = z
  .strictObject({ message: message.nullish() })
  .meta({ id: "RestoreVersion" });

/** Why a version should not be used. */
export interface YankVersion {
  /** Shown to the owner, in the list of versions. */
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
  /** Lists the versions of a prompt, newest first. Yanked ones are shown to the owner only. */
  list: op({
    route: "GET /prompts/{owner}/{slug}/versions",
    access: { auth: "optional", scope: "read", on: "prompt" },
    params: PromptPath,
    query: z.strictObject(pageQuery()) as Schema<PageQuery>,
    results: { 200: json<Page<VersionSummary>>(pageOf(VersionSummary)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Commits a new immutable version from the files sent, or from the saved draft when none are, which takes a token that
   * may read too.
   */
  create: op({
    route: "POST /prompts/{owner}/{slug}/versions",
    access: { auth: "required", scope: "write", on: "prompt", allow: ["owner"] },
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
  /** Gets one version with its files. The answer never changes and may be kept for a year. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/versions/{n}",
    access: { auth: "optional", scope: "read", on: "prompt" },
    params: VersionPath,
    query: z.strictObject({ files: z.enum(["full", "meta"]).optional() }) as Schema<{
      /** `meta` leaves the files' contents out. */
      files?: "full" | "meta";
    }>,
    results: { 200: json(Version) },
  }),
  /**
   * Restores an old version as the next one. Its files are checked already, so there are no warnings; a yanked version
   * can be restored too.
   */
  restore: op({
    route: "POST /prompts/{owner}/{slug}/versions/{n}/restore",
    access: { auth: "required", scope: "write", on: "prompt", allow: ["owner"] },
    params: VersionPath,
    body: json(RestoreVersion),
    results: { 201: json(CommittedVersion), 204: empty() },
    errors: ["no_changes", "quota_exceeded"],
    emits: ["prompt.version.created"],
  }),
  /**
   * Yanks a version: it leaves the lists of all but the owner and cannot be labelled, but is still served to those who
   * pinned it. The owner moves the labels that point to it first; a moderator's yank deletes them, and only a
   * moderator takes it back.
   */
  yank: op({
    route: "POST /prompts/{owner}/{slug}/versions/{n}/yank",
    access: { auth: "required", scope: "write", on: "prompt", allow: ["owner", "moderator"] },
    params: VersionPath,
    body: json(YankVersion),
    results: { 200: json(VersionSummary), 204: empty() },
    errors: ["version_labelled"],
  }),
  /** Takes a yank back: the owner takes back their own, and a moderator that of a moderator. */
  unyank: op({
    route: "DELETE /prompts/{owner}/{slug}/versions/{n}/yank",
    access: { auth: "required", scope: "write", on: "prompt", allow: ["owner", "moderator"] },
    params: VersionPath,
    results: { 200: json(VersionSummary), 204: empty() },
  }),
};
