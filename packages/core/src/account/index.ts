/** The files of an archive that has all of an account: `docs/account-archive.md` describes it. Fields that are not known here are left out. */

import * as z from "zod";
import { type CommentTarget, ShownTarget } from "../groups/comments/discussed.ts";
import { collected } from "../groups/collections/collected.ts";
import { type CollectedKind, CreateCollection } from "../groups/collections/schemas.ts";
import { CreateDataset } from "../groups/evals/dataset-schemas.ts";
import { CreateExample } from "../groups/examples/schemas.ts";
import { CreateSeries } from "../groups/posts/series.ts";
import { PostStatus } from "../groups/posts/schemas.ts";
import { promptLimits } from "../groups/prompts/limits.ts";
import { Origin } from "../groups/prompts/schemas.ts";
import { handle, labelName, ref, slug, timestamp, versionNumber } from "../language/fields.ts";
import type { Schema } from "../language/schema.ts";

/** The name of the first file, and what it says that the archive is. */
export const accountFormat = {
  file: "promptreg-account.json",
  format: "promptreg-account",
  version: 1,
} as const;

const shapeOf = <T>(schema: Schema<T>) =>
  (schema as unknown as { shape: Record<keyof T, z.core.$ZodType> }).shape;
const text = z.string().max(2_000);
const stamp = timestamp.nullable();
/** A path below the folder of the thing. */
const path = z.string().min(1).max(500);

/** The first file: whose account it is, and from where. */
export interface AccountHead {
  format: string;
  formatVersion: number;
  /** Names this archive: an import that is run again tells by it what it has sent. */
  id: string;
  exportedAt: string;
  /** The address of the registry. */
  server: string;
  account: { handle: string; name: string | null; bio: string | null; website: string | null };
  /** How many there are of each thing. */
  counts: { prompts: number; posts: number; makes: number };
}
export const AccountHead = z.object({
  format: z.literal(accountFormat.format),
  formatVersion: z.int().min(1),
  id: z.uuid(),
  exportedAt: timestamp,
  server: text,
  account: z.object({ handle, name: text.nullable(), bio: text.nullable(), website: text.nullable() }),
  counts: z.object({ prompts: z.int(), posts: z.int(), makes: z.int() }),
}) as unknown as Schema<AccountHead>;

/** What the registry says of a version beside its files. */
export interface VersionRecord {
  n: number;
  message: string | null;
  /** The handle of whoever committed it. */
  author: string;
  createdAt: string;
  contentHash: string;
  origin: Origin;
  yanked: { at: string; reason: string | null; by: string } | null;
}
/** What the registry says of a prompt beside its manifest. */
export interface PromptRecord {
  id: string;
  status: "draft" | "published";
  createdAt: string;
  updatedAt: string;
  publishedAt: string | null;
  forkedFrom: { ref: string; versionNumber: number } | null;
  /** All of them, the oldest first. */
  versions: VersionRecord[];
  labels: {
    name: string;
    versionNumber: number;
    reason: string | null;
    updatedAt: string;
    updatedBy: string | null;
  }[];
  /** Of the files in `draft`. */
  draft: { message: string | null; baseVersionNumber: number | null; updatedAt: string } | null;
}
export const PromptRecord = z.object({
  id: text,
  status: z.enum(["draft", "published"]),
  createdAt: timestamp,
  updatedAt: timestamp,
  publishedAt: stamp,
  forkedFrom: z.object({ ref, versionNumber }).nullable(),
  versions: z
    .array(
      z.object({
        n: versionNumber,
        message: text.nullable(),
        author: handle,
        createdAt: timestamp,
        contentHash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
        origin: Origin,
        yanked: z.object({ at: timestamp, reason: text.nullable(), by: handle }).nullable(),
      }),
    )
    .max(promptLimits.versionsPerPrompt)
    .refine((list) => list.every(({ n }, nth) => n === nth + 1), {
      error: "must have every version, the oldest first",
    }),
  labels: z
    .array(
      z.object({
        name: labelName,
        versionNumber,
        reason: text.nullable(),
        updatedAt: timestamp,
        updatedBy: handle.nullable(),
      }),
    )
    .max(promptLimits.labelsPerPrompt),
  draft: z
    .object({ message: text.nullable(), baseVersionNumber: versionNumber.nullable(), updatedAt: timestamp })
    .nullable(),
}) as unknown as Schema<PromptRecord>;

/** A dataset of a prompt; its cases stand beside it in `cases.jsonl`. */
export interface DatasetRecord {
  name: string;
  description: string | null;
  visibility: "public" | "private";
  revision: number;
  createdAt: string;
  updatedAt: string;
}
const dataset = shapeOf(CreateDataset);
export const DatasetRecord = z.object({
  name: dataset.name,
  description: dataset.description,
  visibility: z.enum(["public", "private"]),
  revision: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
}) as unknown as Schema<DatasetRecord>;

/** An example of a prompt. */
export interface ExampleRecord extends Omit<CreateExample, "mediaIds"> {
  /** Where its media are in its folder. */
  media: string[];
  status: string;
  createdAt: string;
}
const { mediaIds: _, ...example } = shapeOf(CreateExample);
export const ExampleRecord = z.object({
  ...example,
  media: z.array(path).max(10),
  status: text,
  createdAt: timestamp,
}) as unknown as Schema<ExampleRecord>;

/** A series. */
export interface SeriesRecord {
  id: string;
  slug: string;
  title: string;
  description: string | null;
  /** The slugs of its posts, in their order. */
  posts: string[];
}
const series = shapeOf(CreateSeries);
export const SeriesRecords = z
  .array(
    z.object({
      id: text,
      slug,
      title: series.title,
      description: series.description,
      posts: z.array(slug).max(200),
    }),
  )
  .max(200) as unknown as Schema<SeriesRecord[]>;

/** What the registry says of a post beside its file. */
export interface PostRecord {
  id: string;
  status: PostStatus;
  createdAt: string;
  updatedAt: string;
  publishedAt: string | null;
}
export const PostRecord = z.object({
  id: text,
  status: PostStatus,
  createdAt: timestamp,
  updatedAt: timestamp,
  publishedAt: stamp,
}) as unknown as Schema<PostRecord>;

/** What the registry says of a make beside its `make.json`. */
export interface MakeRecord {
  id: string;
  status: "draft" | "published";
  /** The slug of the make that it began as. */
  remixOf: string | null;
  createdAt: string;
  updatedAt: string;
  publishedAt: string | null;
}
export const MakeRecord = z.object({
  id: text,
  status: z.enum(["draft", "published"]),
  remixOf: slug.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  publishedAt: stamp,
}) as unknown as Schema<MakeRecord>;

/** A collection with its items, by their addresses. */
export interface CollectionRecord {
  id: string;
  title: string;
  description: string | null;
  visibility: "public" | "unlisted" | "private";
  /** Where its cover is in its folder. */
  cover: string | null;
  createdAt: string;
  updatedAt: string;
  items: { type: CollectedKind; id: string; note: string | null }[];
}
const collection = shapeOf(CreateCollection);
const collectedAs = (type: CollectedKind) =>
  z.object({ type: z.literal(type), id: collected[type], note: text.nullable() });
export const CollectionRecord = z.object({
  id: text,
  title: collection.title,
  description: collection.description,
  visibility: z.enum(["public", "unlisted", "private"]),
  cover: path.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  items: z.array(z.union([collectedAs("prompt"), collectedAs("make"), collectedAs("post")])).max(1_000),
}) as unknown as Schema<CollectionRecord>;

/** A comment of the account. */
export interface CommentRecord {
  id: string;
  /** Where the account did not see it any more, its id. */
  target: CommentTarget;
  parentId: string | null;
  body: string;
  status: string;
  createdAt: string;
  editedAt: string | null;
}
export const CommentRecord = z.object({
  id: text,
  target: ShownTarget,
  parentId: text.nullable(),
  body: z.string().min(1).max(10_000),
  status: text,
  createdAt: timestamp,
  editedAt: stamp,
}) as unknown as Schema<CommentRecord>;

/** A prompt that the account starred. */
export interface StarRecord {
  prompt: string;
  starredAt: string;
}
export const StarRecord = z.object({ prompt: ref, starredAt: timestamp }) as unknown as Schema<StarRecord>;

/** A prompt that the account watches. */
export interface WatchRecord {
  prompt: string;
  level: "releases" | "all" | "ignore";
  watchedAt: string;
}
export const WatchRecord = z.object({
  prompt: ref,
  level: z.enum(["releases", "all", "ignore"]),
  watchedAt: timestamp,
}) as unknown as Schema<WatchRecord>;
