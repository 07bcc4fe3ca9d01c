import type { EventData, Origin } from "@promptreg/core";
import { promptUrl } from "../../kernel/emit.ts";
import type { PromptRow } from "./target.ts";

/** What prompt.version.created says of a version. */
export const versionCreated = (
  publicUrl: string,
  prompt: PromptRow,
  {
    id,
    n,
    message,
    contentHash,
    origin,
  }: { id: string; n: number; message: string | null; contentHash: string; origin: Origin },
): EventData<"prompt.version.created">["version"] => ({
  id,
  versionNumber: n,
  message,
  contentHash,
  origin,
  url: promptUrl(publicUrl, prompt, n),
});
