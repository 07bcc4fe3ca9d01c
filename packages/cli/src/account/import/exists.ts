import type { Prompt } from "@promptreg/client";
import { absent } from "../../errors.ts";
import { type Importing, refHere } from "./run.ts";

/** Whether a prompt of the archive, or a version of it, is here. What has the address of one's own by chance is not. */
export async function exists(run: Importing, ref: string, n?: number): Promise<boolean> {
  if (n === undefined) return (await findPrompt(run, ref)) !== null;
  const { owner, slug, isOwn } = refHere(run, ref);
  if (isOwn && run.taken.prompts.has(slug)) return false;
  if (isOwn && run.isDryRun && run.brought.prompts.has(slug)) return true;
  const query = { files: "meta" as const };
  return (await run.client.prompts.versions.get({ owner, slug, n, query }).catch(absent)) !== null;
}

/** A prompt of the archive as it is here; `new` if it would be created. */
export async function findPrompt(run: Importing, ref: string): Promise<Prompt | "new" | null> {
  const { owner, slug, isOwn } = refHere(run, ref);
  if (isOwn && run.taken.prompts.has(slug)) return null;
  const found: Prompt | null = await run.client.prompts.get({ owner, slug }).catch(absent);
  return found ?? (isOwn && run.isDryRun && run.brought.prompts.has(slug) ? "new" : null);
}
