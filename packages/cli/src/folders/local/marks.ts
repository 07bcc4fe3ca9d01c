import { apiError } from "@promptreg/core/errors";
import type { CheckedFile } from "@promptreg/core/content";
import type { Detail } from "../../errors.ts";
import type { LocalPrompt } from "./read-prompt.ts";

/** The lines that stand around what both sides changed, as git writes them. `ref` is a version, or `source` of an import. */
export const marksOf = (ref: string) => ({
  open: "<<<<<<< here",
  middle: "=======",
  close: `>>>>>>> ${ref}`,
});

/** Ours, one after the other, and not those of a prompt about git. */
function hasMarks(text: string): boolean {
  const start = text.search(/^<<<<<<< here\r?$/m);
  return start >= 0 && /^>>>>>>> (?:[a-z0-9-]+\/[a-z0-9-]+@\d+|source)\r?$/m.test(text.slice(start));
}

/** The files that still hold both sides of a pull. */
export const markedFiles = (files: readonly CheckedFile[]): Detail[] =>
  files
    .filter(({ encoding, bytes }) => encoding === "utf8" && hasMarks(Buffer.from(bytes).toString("latin1")))
    .map(({ path }) => ({
      path,
      message: `has unresolved conflicts of a pull, between ${marksOf("").open} and ${marksOf("").close.trim()}. Keep what you want.`,
    }));

/**
 * Keeps a pull from merging where one left both sides.
 * @throws {ApiError} `version_conflict` that names the files.
 */
export function refuseMarks({ folder, checked }: Pick<LocalPrompt, "folder" | "checked">): void {
  const details = markedFiles(checked).map((detail) => ({ ...detail, code: "version_conflict" }));
  if (details.length > 0)
    throw apiError("version_conflict", { message: `${folder} has unresolved conflicts of a pull.`, details });
}
