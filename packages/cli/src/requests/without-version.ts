import { apiError } from "@promptreg/core/errors";
import { parseRef } from "@promptreg/core/refs";

/** The error for a prompt without a version to use: nothing was committed yet, or all is yanked. */
export function withoutVersion(ref: string) {
  const { owner, slug } = parseRef(ref);
  return apiError("not_found", {
    message:
      `${ref} has no version to use: it is a draft, or every version is yanked. ` +
      `\`promptreg api prompts.versions.create owner=${owner} slug=${slug}\` commits a saved draft. ` +
      `\`promptreg log ${ref}\` lists yanked versions: each still works by its number.`,
  });
}
