import type { PromptRow } from "./target.ts";

/** How caches keep what never changes of a prompt, and the key by which a CDN forgets it. */
export const lasting = ({ id, visibility }: Pick<PromptRow, "id" | "visibility">) => ({
  immutable: visibility === "public" ? ("public" as const) : ("private" as const),
  surrogateKey: id,
});
