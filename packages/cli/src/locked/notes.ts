import { parseRef } from "@promptreg/core/refs";
import type { FoundVersion } from "./find-version.ts";

/** What to say of a version that works, and is not as one would expect. */
export function notesOn(
  at: string,
  { ref, locked }: Extract<FoundVersion, { refusal?: undefined }>,
): string[] {
  const { owner, slug } = parseRef(at);
  return [
    ...(locked.yanked
      ? [`${at}: version ${locked.version} is yanked. It still works, but should not be used.`]
      : []),
    ...(ref === `${owner}/${slug}` ? [] : [`${at}: the prompt is now ${ref}. The old address still works.`]),
  ];
}
