import * as z from "zod";
import { id, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { DetectedItem } from "./items.ts";

export const importStatuses = [
  "uploading",
  "queued",
  "detecting",
  "ready",
  "committing",
  "completed",
  "cancelled",
  "failed",
  "expired",
] as const;
/**
 * Where an import is. Uploads begin with `uploading`, all others with `queued`. A `ready` one waits for its commit, and
 * expires after 7 days.
 */
export type ImportStatus = (typeof importStatuses)[number];
export const ImportStatus: Schema<ImportStatus> = z.enum(importStatuses);

/** Where prompts were looked for. */
export interface ImportSource {
  type: "paste" | "url" | "repository" | "files" | "archive" | "chatExport";
  /** For people: an address, a filename, the first words of a text. */
  label: string;
  url?: string;
  /** Of a repository: the branch, tag or commit that was asked for. */
  ref?: string;
  /** Of a repository: the commit that was read. */
  commit?: string;
  /** Of a repository: only what is below this folder. */
  path?: string;
}
const ImportSource: Schema<ImportSource> = z
  .strictObject({
    type: z.enum(["paste", "url", "repository", "files", "archive", "chatExport"]),
    label: z.string(),
    url: z.string().optional(),
    ref: z.string().optional(),
    commit: z.string().optional(),
    path: z.string().optional(),
  })
  .meta({ id: "ImportSource" });

/** An import: prompts of other tools, on their way to drafts. */
export interface Import {
  id: string;
  source: ImportSource;
  status: ImportStatus;
  /** How much of the file has arrived; null if none is uploaded. */
  upload: {
    /** Bytes so far: the next chunk begins here. */
    received: number;
    size: number;
    /** The largest chunk, in bytes. */
    chunkSize: number;
  } | null;
  /** How many items there are, and what became of them. */
  counts: { detected: number; selected: number; committed: number; skipped: number; failed: number };
  /** What was left out, and why. */
  warnings: string[];
  /** Why it failed. */
  error: string | null;
  createdAt: string;
  readyAt: string | null;
  /** When it was completed or cancelled, failed or expired. */
  finishedAt: string | null;
  /** Until when it can be uploaded or committed. */
  expiresAt: string;
}
const fields = {
  id: id("imp"),
  source: ImportSource,
  status: ImportStatus,
  upload: z.strictObject({ received: z.int(), size: z.int(), chunkSize: z.int() }).nullable(),
  counts: z.strictObject({
    detected: z.int(),
    selected: z.int(),
    committed: z.int(),
    skipped: z.int(),
    failed: z.int(),
  }),
  warnings: z.array(z.string()),
  error: z.string().nullable(),
  createdAt: timestamp,
  readyAt: z.nullable(timestamp),
  finishedAt: z.nullable(timestamp),
  expiresAt: timestamp,
};
export const Import: Schema<Import> = z.strictObject(fields).meta({ id: "Import" });

/** An import with a page of what it found. */
export interface ImportWithItems extends Import {
  /** In the order of the source. None once the import was cancelled or has expired. */
  items: DetectedItem[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}
export const ImportWithItems: Schema<ImportWithItems> = z
  .strictObject({ ...fields, items: z.array(DetectedItem), nextCursor: z.string().nullable() })
  .meta({ id: "ImportWithItems" });
