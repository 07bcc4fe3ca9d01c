import * as z from "zod";
import { plainText, versionNumber } from "../../language/fields.ts";
import { json, op, text } from "../../operations/operation.ts";
import type { OptionalSchema, Schema } from "../../language/schema.ts";
import type { VariableChanges } from "../../content/compare-variables.ts";
import type { DiffStats as DiffStatsShape, FileDiff } from "../../content/diff.ts";
import type { DiffHunk, DiffLine } from "../../content/diff-lines.ts";
import { type PromptPath, promptPath } from "./schemas.ts";

const DiffLine: Schema<DiffLine> = z
  .strictObject({
    type: z.enum(["context", "add", "del"]),
    text: z.string(),
    noNewline: z.literal(true).optional(),
  })
  .meta({ id: "DiffLine" });

const DiffHunk: Schema<DiffHunk> = z
  .strictObject({
    oldStart: z.int(),
    oldLines: z.int(),
    newStart: z.int(),
    newLines: z.int(),
    lines: z.array(DiffLine),
  })
  .meta({ id: "DiffHunk" });

const FileDiff: Schema<FileDiff> = z
  .strictObject({
    path: z.string(),
    oldPath: z.string().nullable(),
    status: z.enum(["added", "removed", "modified", "renamed"]),
    binary: z.boolean(),
    modeChanged: z.boolean(),
    additions: z.int(),
    deletions: z.int(),
    truncated: z.boolean(),
    hunks: z.array(DiffHunk),
  })
  .meta({ id: "FileDiff" });

export type DiffStats = DiffStatsShape;
export const DiffStats: Schema<DiffStats> = z
  .strictObject({ files: z.int(), additions: z.int(), deletions: z.int() })
  .meta({ id: "DiffStats" });

const VariableChanges: Schema<VariableChanges> = z
  .strictObject({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
    breaking: z.boolean(),
  })
  .meta({ id: "VariableChanges" });

/** What changed from one version to another. */
export interface Diff {
  from: { n: number };
  to: { n: number };
  stats: DiffStats;
  /** The files that differ, in the order of their paths. */
  files: FileDiff[];
  variables: VariableChanges;
  /** The names of the settings that differ. */
  config: { changed: string[] };
}
const side = z.strictObject({ n: versionNumber });
export const Diff: Schema<Diff> = z
  .strictObject({
    from: side,
    to: side,
    stats: DiffStats,
    files: z.array(FileDiff),
    variables: VariableChanges,
    config: z.strictObject({ changed: z.array(z.string()) }),
  })
  .meta({ id: "Diff" });

/** A prompt's address with two of its versions. */
export interface RangePath extends PromptPath {
  /** `a..b`. Each is the number of a version or a label; `latest` works too. */
  range: string;
}
// Any text: a malformed range is 422, while other malformed parameters are 404. The pattern is documentation.
// Only `..` is never a range: every reader of a URL takes it for the path above, encoded or not.
const range = z.string().meta({
  pattern:
    "^([1-9][0-9]{0,8}|[a-z][a-z0-9-]*([._][a-z0-9-]+)*)\\.\\.([1-9][0-9]{0,8}|[a-z][a-z0-9-]*([._][a-z0-9-]+)*)$",
});
export const RangePath: Schema<RangePath> = z.strictObject({ ...promptPath, range });

/** What to compare, and how to show it. */
export interface GetDiff {
  /** Compares only this file. Give its old or its new path. */
  path?: string;
  /** How many unchanged lines to show around a change, 0 to 20. Default: 3. */
  context?: number;
}
/** The fields of `GetDiff`. */
export const diffQuery: { path: OptionalSchema<string>; context: OptionalSchema<number> } = {
  path: plainText({ min: 1, max: 255 }).optional(),
  context: z
    .string()
    .regex(/^(1?\d|20)$/, { error: "must be a whole number from 0 to 20" })
    .transform(Number)
    .meta({ type: "integer", minimum: 0, maximum: 20 })
    .optional(),
};
export const GetDiff: Schema<GetDiff> = z.strictObject(diffQuery);

export const diff = op({
  route: "GET /prompts/{owner}/{slug}/diff/{range}",
  access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
  params: RangePath,
  query: GetDiff,
  results: { 200: [json(Diff), text("text/x-diff")] },
});
