import { apiError } from "@promptreg/core/errors";
import type { LocalPrompt } from "./read-prompt.ts";
import { stateOf } from "./state.ts";

/** The lines that stand around what both sides changed, as git writes them. */
export const marksOf = (ref: string) => ({
  open: "<<<<<<< here",
  middle: "=======",
  close: `>>>>>>> ${ref}`,
});

/** Ours, and not those of a prompt about git. */
const mark = /^(<<<<<<< here|>>>>>>> [a-z0-9-]+\/[a-z0-9-]+@\d+)\r?$/m;

/**
 * Keeps a prompt at home in which a pull left both sides.
 * @throws {ApiError} `version_conflict` that names the files.
 */
export async function refuseMarks(
  { folder, checked }: LocalPrompt,
  prompt: { id: string },
  origin: string,
): Promise<void> {
  const conflicts = new Set((await stateOf(folder, origin, prompt))?.conflicts);
  const marked = checked.filter(
    ({ path, encoding, bytes }) =>
      conflicts.has(path) && encoding === "utf8" && mark.test(Buffer.from(bytes).toString("latin1")),
  );
  if (marked.length === 0) return;
  const message = `${folder} still holds both sides of a pull, between ${marksOf("").open} and ${marksOf("").close}: leave what is meant.`;
  const details = marked.map(({ path }) => ({
    path,
    code: "version_conflict",
    message: "holds both sides.",
  }));
  throw apiError("version_conflict", { message, details });
}
