import type { PulledPrompt } from "../compare/read-version.ts";
import type { Manifest } from "../local/manifest.ts";

type About = Pick<
  PulledPrompt["prompt"],
  "ref" | "kind" | "title" | "summary" | "tags" | "license" | "visibility" | "rating"
>;

/** What the registry says of a prompt, without what it says nothing of. */
export function manifestOf({ prompt }: { prompt: About }): Manifest {
  const { ref, kind, title, summary, tags, license, visibility, rating } = prompt;
  return {
    prompt: ref,
    kind,
    title,
    ...(summary && { summary }),
    ...(tags.length > 0 && { tags }),
    ...(license && { license }),
    visibility,
    ...(rating !== "general" && { rating }),
  };
}
