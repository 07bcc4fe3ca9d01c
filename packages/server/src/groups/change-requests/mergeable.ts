import type { ChangeRequest, JsonText } from "@promptreg/core";
import { mergeFiles, type ThreeVersions } from "@promptreg/core/content";
import { extend } from "../prompts/index.ts";

/** A change request as the database prints it. */
export interface PrintedRequest {
  printed: string;
  isOpen: boolean;
  /** What decides whether it can be merged; null if nothing can be in conflict. */
  promised: ThreeVersions | null;
}

/** Adds to a change request whether it can be merged: by the same function that merges. */
export function withMergeable({ printed, isOpen, promised }: PrintedRequest): JsonText<ChangeRequest> {
  const conflicts = promised === null ? [] : mergeFiles(promised).conflicts;
  const paths = [...new Set(conflicts.map(({ path }) => path))];
  const mergeable = isOpen ? (paths.length > 0 ? "conflict" : "clean") : null;
  return extend<ChangeRequest>(
    printed,
    `"mergeable":${JSON.stringify(mergeable)},"conflicts":${JSON.stringify(paths)}`,
  );
}
