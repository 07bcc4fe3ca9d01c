import * as z from "zod";
import { line, prose, ref, timestamp, versionNumber } from "../../language/fields.ts";
import type { OptionalSchema, Schema } from "../../language/schema.ts";
import { DiffStats } from "../prompts/compare.ts";
import { CommittedVersion } from "../prompts/schemas.ts";
import { UserRef } from "../users/schemas.ts";

/** A version of a fork, proposed to the prompt that was forked. */
export interface ChangeRequest {
  /** Counts the change requests of a prompt. */
  n: number;
  url: string;
  title: string;
  /** Markdown. */
  body: string | null;
  /**
   * The body as HTML, safe to put into a page: it has no scripts, styles or images. Null if there is no body, or if it is not
   * rendered yet. After an upgrade of the registry it can be as the older release rendered it, until it is rendered anew.
   */
  html: string | null;
  state: "open" | "closed" | "merged";
  author: UserRef;
  target: {
    ref: string;
    /** The version that the fork last had in common with the prompt. */
    baseVersionNumber: number;
    mergedVersionNumber: number | null;
  };
  source: {
    /** Null if the fork is not public, unless you own it, and if it was deleted. */
    ref: string | null;
    versionNumber: number;
  };
  /** How much the proposed version changes the base. */
  stats: DiffStats;
  /** Whether it can be merged without `strategy`. Null unless it is open. */
  mergeable: "clean" | "conflict" | null;
  /** The paths of the files in conflict. */
  conflicts: string[];
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  closedBy: UserRef | null;
  mergedAt: string | null;
  mergedBy: UserRef | null;
  /** What you can do with it. Only with a token. */
  viewer?: { canEdit: boolean; canClose: boolean; canReopen: boolean; canMerge: boolean };
}
export const ChangeRequest: Schema<ChangeRequest> = z
  .strictObject({
    n: versionNumber,
    url: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    html: z.string().nullable(),
    state: z.enum(["open", "closed", "merged"]),
    author: UserRef,
    target: z.strictObject({
      ref,
      baseVersionNumber: versionNumber,
      mergedVersionNumber: versionNumber.nullable(),
    }),
    source: z.strictObject({ ref: ref.nullable(), versionNumber }),
    stats: DiffStats,
    mergeable: z.enum(["clean", "conflict"]).nullable(),
    conflicts: z.array(z.string()),
    createdAt: timestamp,
    updatedAt: timestamp,
    closedAt: z.nullable(timestamp),
    closedBy: z.nullable(UserRef),
    mergedAt: z.nullable(timestamp),
    mergedBy: z.nullable(UserRef),
    viewer: z
      .strictObject({
        canEdit: z.boolean(),
        canClose: z.boolean(),
        canReopen: z.boolean(),
        canMerge: z.boolean(),
      })
      .optional(),
  })
  .meta({ id: "ChangeRequest" });

/** A merged change request, and the version that it became. */
export interface MergedChangeRequest {
  changeRequest: ChangeRequest;
  /** Its files come without their content. */
  version: CommittedVersion;
}
export const MergedChangeRequest: Schema<MergedChangeRequest> = z
  .strictObject({ changeRequest: ChangeRequest, version: CommittedVersion })
  .meta({ id: "MergedChangeRequest" });

export const title: Schema<string> = line({ min: 1, max: 120 });
export const body: OptionalSchema<string | null> = prose({ max: 10_000 }).nullish();
