import * as z from "zod";
import {
  handle,
  id,
  labelName,
  line,
  prose,
  ref,
  slug,
  timestamp,
  versionNumber,
} from "../../language/fields.ts";
import type { ErrorDetail } from "../../catalogue/errors.ts";
import type { Page } from "../../language/list.ts";
import type { OptionalSchema, Schema } from "../../language/schema.ts";
import { UserRef } from "../users/schemas.ts";
import type { FileInput as FileInputShape } from "../../content/files.ts";
import { type PromptKind as Kind, promptKinds } from "../../content/kinds.ts";
import { readLicense } from "../../content/license.ts";
import { promptLimits } from "./limits.ts";
import type { Variable as VariableShape } from "../../content/variables.ts";

/** The kind of a prompt. It decides the entry file and its rules. */
export type PromptKind = Kind;
export const PromptKind: Schema<Kind> = z.enum(promptKinds).meta({ id: "PromptKind" });
/** Who can read a prompt: its owner, anyone with the address, or everyone. */
export type Visibility = "public" | "unlisted" | "private";
export const Visibility: Schema<Visibility> = z.enum(["public", "unlisted", "private"]);
/** A content rating, not a score. */
export type Rating = "general" | "sensitive" | "mature";
export const Rating: Schema<Rating> = z.enum(["general", "sensitive", "mature"]);

/** Owner and slug, as they stand in the path of everything that belongs to a prompt. */
export interface PromptPath {
  /** The handle of the account that owns it. */
  owner: string;
  /** Its name below that account. */
  slug: string;
}
export const promptPath = { owner: handle, slug };
export const PromptPath: Schema<PromptPath> = z.strictObject(promptPath);

export type Variable = VariableShape;
export const Variable: Schema<Variable> = z
  .strictObject({
    name: z.string(),
    type: z.enum(["text", "multiline", "number", "boolean", "enum", "json"]),
    description: z.string().optional(),
    required: z.boolean(),
    default: z.json().nullable(),
    options: z.array(z.string()).optional(),
    minLength: z.int().optional(),
    maxLength: z.int().optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    example: z.json().optional(),
  })
  .meta({ id: "Variable" });

/** A file as it is sent; its rules for paths, sizes and content are checked on commit. */
export type FileInput = FileInputShape;
export const FileInput: Schema<FileInputShape> = z
  .strictObject({
    path: z.string(),
    content: z.string(),
    encoding: z.enum(["utf8", "base64"]).optional(),
    mode: z.enum(["100644", "100755"]).optional(),
  })
  .meta({ id: "FileInput" });

/** A file of a version. `content` is left out of the answers to writes and of `files=meta`. */
export interface VersionFile {
  path: string;
  mode: "100644" | "100755";
  size: number;
  sha256: string;
  mediaType: string;
  encoding: "utf8" | "base64";
  content?: string;
}
export const VersionFile: Schema<VersionFile> = z
  .strictObject({
    path: z.string(),
    mode: z.enum(["100644", "100755"]),
    size: z.int(),
    sha256: z.string(),
    mediaType: z.string(),
    encoding: z.enum(["utf8", "base64"]),
    content: z.string().optional(),
  })
  .meta({ id: "File" });

/** Where a version came from. */
export interface Origin {
  type: "commit" | "draft" | "fork" | "restore" | "merge";
  promptId?: string;
  versionNumber?: number;
  changeRequest?: number;
}
export const Origin: Schema<Origin> = z
  .strictObject({
    type: z.enum(["commit", "draft", "fork", "restore", "merge"]),
    promptId: id("prm").optional(),
    versionNumber: versionNumber.optional(),
    changeRequest: z.int().optional(),
  })
  .meta({ id: "Origin" });

/** A version. Nothing in it ever changes, so it can be cached for ever. */
export interface Version {
  id: string;
  n: number;
  promptId: string;
  message: string | null;
  files: VersionFile[];
  /** The path of the entry file. */
  entry: string;
  /** `sha256:` over path, mode and digest of every file. */
  contentHash: string;
  variables: Variable[];
  config: Record<string, unknown>;
  /** An estimate of the tokens in the entry file. A model's own count will differ. */
  tokenEstimate: number;
  author: { id: string; handle: string };
  createdAt: string;
  origin: Origin;
}
const version = {
  id: id("ver"),
  n: versionNumber,
  promptId: id("prm"),
  message: z.string().nullable(),
  files: z.array(VersionFile),
  entry: z.string(),
  contentHash: z.string(),
  variables: z.array(Variable),
  config: z.record(z.string(), z.unknown()),
  tokenEstimate: z.int(),
  author: z.strictObject({ id: id("usr"), handle }),
  createdAt: timestamp,
  origin: Origin,
};
export const Version: Schema<Version> = z.strictObject(version).meta({ id: "Version" });

/** Content that is accepted, but is probably a mistake. */
export type Warning = ErrorDetail;
const Warning: Schema<Warning> = z
  .strictObject({ code: z.string(), path: z.string(), message: z.string() })
  .meta({ id: "Warning" });

/** The new version. Its files come without their content. */
export interface CommittedVersion extends Version {
  /**
   * Empty when a response over 64 KiB is repeated for its `Idempotency-Key`, because the version is then read again.
   */
  warnings: Warning[];
}
export const CommittedVersion: Schema<CommittedVersion> = z
  .strictObject({ ...version, warnings: z.array(Warning) })
  .meta({ id: "CommittedVersion" });

/** A version in lists: without its files, but with its labels and its yank. */
export interface VersionSummary extends Omit<Version, "files"> {
  /** When, why and by whom it was yanked; null for a version that can be used. */
  yanked: { at: string; reason: string | null; by: UserRef } | null;
  /** The labels that point to it, by name, without the computed `latest`. */
  labels: string[];
}
const { files: _, ...versionWithoutFiles } = version;
export const VersionSummary: Schema<VersionSummary> = z
  .strictObject({
    ...versionWithoutFiles,
    yanked: z.strictObject({ at: timestamp, reason: z.string().nullable(), by: UserRef }).nullable(),
    labels: z.array(z.string()),
  })
  .meta({ id: "VersionSummary" });

/** How the version in an answer was found. */
export interface ResolvedBy {
  type: "latest" | "version" | "label";
  value: string | number | null;
}
const ResolvedBy: Schema<ResolvedBy> = z.strictObject({
  type: z.enum(["latest", "version", "label"]),
  value: z.union([z.string(), z.int()]).nullable(),
});

/** How many there are of each thing around a prompt. */
export interface PromptCounts {
  stars: number;
  forks: number;
  watchers: number;
  makes: number;
  examples: number;
  comments: number;
  downloads: number;
  installs: number;
  openChangeRequests: number;
}

/** A prompt with the version that was asked for. */
export interface Prompt {
  id: string;
  /** `owner/slug`. */
  ref: string;
  url: string;
  owner: UserRef;
  slug: string;
  /** Decides the entry file. It cannot change. */
  kind: PromptKind;
  title: string;
  summary: string | null;
  tags: string[];
  /** An SPDX expression; null means all rights reserved. */
  license: string | null;
  visibility: Visibility;
  rating: Rating;
  status: "draft" | "published";
  /** The highest version that is not yanked; null when there is none. */
  latestVersion: number | null;
  /** Version numbers by label, without the computed `latest`. */
  labels: Record<string, number>;
  forkedFrom: { ref: string; versionNumber: number } | null;
  counts: PromptCounts;
  createdAt: string;
  updatedAt: string;
  publishedAt: string | null;
  version: Version | null;
  resolvedBy: ResolvedBy;
  /** What you can do with this prompt. Only with a token. */
  viewer?: {
    isOwner: boolean;
    starred: boolean;
    watchLevel: "releases" | "all" | "ignore" | null;
    canEdit: boolean;
    canFork: boolean;
  };
}
const summary = {
  id: id("prm"),
  ref,
  url: z.string(),
  owner: UserRef,
  slug,
  kind: PromptKind,
  title: z.string(),
  summary: z.string().nullable(),
  tags: z.array(z.string()),
  license: z.string().nullable(),
  visibility: Visibility,
  rating: Rating,
  status: z.enum(["draft", "published"]),
  latestVersion: versionNumber.nullable(),
  labels: z.record(labelName, versionNumber),
  forkedFrom: z.strictObject({ ref, versionNumber }).nullable(),
  counts: z
    .strictObject({
      stars: z.int(),
      forks: z.int(),
      watchers: z.int(),
      makes: z.int(),
      examples: z.int(),
      comments: z.int(),
      downloads: z.int(),
      installs: z.int(),
      openChangeRequests: z.int(),
    })
    .meta({ id: "PromptCounts" }),
  createdAt: timestamp,
  updatedAt: timestamp,
  publishedAt: z.nullable(timestamp),
  viewer: z
    .strictObject({
      isOwner: z.boolean(),
      starred: z.boolean(),
      watchLevel: z.enum(["releases", "all", "ignore"]).nullable(),
      canEdit: z.boolean(),
      canFork: z.boolean(),
    })
    .optional(),
};
const prompt = {
  ...summary,
  version: z.nullable(Version),
  resolvedBy: ResolvedBy,
};
export const Prompt: Schema<Prompt> = z.strictObject(prompt).meta({ id: "Prompt" });

/** A prompt as lists show it. */
export interface PromptSummary extends Omit<Prompt, "version" | "resolvedBy"> {
  /** The number and content hash of the latest version: enough to see whether local files differ. */
  latest: { n: number; contentHash: string } | null;
}
export const PromptSummary: Schema<PromptSummary> = z
  .strictObject({
    ...summary,
    latest: z.strictObject({ n: versionNumber, contentHash: z.string() }).nullable(),
  })
  .meta({ id: "PromptSummary" });

/** The answer to a creation; `version` is null for a draft. */
export interface CreatedPrompt extends Omit<Prompt, "version"> {
  version: CommittedVersion | null;
}
export const CreatedPrompt: Schema<CreatedPrompt> = z
  .strictObject({ ...prompt, version: z.nullable(CommittedVersion) })
  .meta({ id: "CreatedPrompt" });

/** Only what an application needs at run time. Only a label move, a commit or a yank changes its ETag. */
export interface ResolvedVersion {
  ref: string;
  resolvedBy: ResolvedBy;
  yanked: boolean;
  version: Version | null;
}
export const ResolvedVersion: Schema<ResolvedVersion> = z
  .strictObject({ ref, resolvedBy: ResolvedBy, yanked: z.boolean(), version: z.nullable(Version) })
  .meta({ id: "ResolvedVersion" });

/** A version in a list of what an application uses. */
export interface ListedVersion extends ResolvedVersion {
  /** For `If-None-Match`, with which to ask for this prompt alone. */
  etag: string;
  version: Version;
}
export const ListedVersion: Schema<ListedVersion> = z
  .strictObject({ ref, resolvedBy: ResolvedBy, yanked: z.boolean(), etag: z.string(), version: Version })
  .meta({ id: "ListedVersion" });

/** A version that a label points to, by its number, as the list of changes has it. */
export interface ListedChange {
  ref: string;
  /** Null if the list has the prompt no more: without the label, deleted, or not shown to you. */
  versionNumber: number | null;
  /** As of a listed version: equal to that of the version that you have if nothing changed. Null as `versionNumber` is. */
  etag: string | null;
}
export const ListedChange: Schema<ListedChange> = z
  .strictObject({ ref, versionNumber: versionNumber.nullable(), etag: z.string().nullable() })
  .meta({ id: "ListedChange" });

/** What changed in the versions that a label points to, for all prompts of an owner. It has one page. */
export interface ListedChanges extends Page<ListedChange> {
  /** Whether these are all versions of the list, since it is not known what the answer was that `If-None-Match` names. */
  isWhole: boolean;
}
export const ListedChanges: Schema<ListedChanges> = z
  .strictObject({ isWhole: z.boolean(), items: z.array(ListedChange), nextCursor: z.null() })
  .meta({ id: "ListedChanges" });

/** A name that points to a version and can move. */
export interface Label {
  name: string;
  versionNumber: number;
  reason: string | null;
  updatedAt: string;
  updatedBy: UserRef | null;
  /** True for the computed label `latest`. */
  system: boolean;
}
export const Label: Schema<Label> = z
  .strictObject({
    name: z.string(),
    versionNumber,
    reason: z.string().nullable(),
    updatedAt: timestamp,
    updatedBy: z.nullable(UserRef),
    system: z.boolean(),
  })
  .meta({ id: "Label" });

/** An SPDX expression. It is stored in the official spelling, so that searches find it. */
export const license: Schema<string> = z
  .string()
  .max(200)
  .transform((text, context) => {
    const read = readLicense(text);
    if ("license" in read) return read.license;
    context.addIssue({ code: "custom", message: read.problem });
    return z.NEVER;
  });
export const tag: Schema<string> = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, {
  error: "must be lower-case letters, digits and hyphens, at most 32",
});
export const tagNames: Schema<string[]> = z
  .array(tag)
  .max(10)
  .refine((list) => new Set(list).size === list.length, { error: "names a tag twice" });
/** Labels to move to a new version. */
export const labelNames: Schema<string[]> = z.array(labelName).max(promptLimits.labelsPerPrompt);
/** The fields that describe a new prompt. */
export const about: {
  kind: Schema<Kind>;
  title: Schema<string>;
  summary: OptionalSchema<string | null>;
  tags: OptionalSchema<string[]>;
  license: OptionalSchema<string | null>;
  visibility: OptionalSchema<Visibility>;
  rating: OptionalSchema<Rating>;
} = {
  kind: PromptKind,
  title: line({ min: 1, max: 120 }),
  summary: prose({ max: 280 }).nullish(),
  tags: tagNames.optional(),
  license: license.nullish(),
  visibility: Visibility.optional(),
  rating: Rating.optional(),
};
export const message = prose({ max: 500 });
export const reason = prose({ max: 280 });
