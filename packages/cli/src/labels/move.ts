import type { Prompt } from "@promptreg/client";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress, VersionName } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { getPrompt } from "../prompts/index.ts";
import { confirmMove, versionOf } from "./confirm-move.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";

export async function moveLabel(
  context: Context,
  { owner, slug }: PromptAddress,
  name: string,
  target: VersionName,
  { reason, expect }: { reason?: string; expect?: number | "none" },
): Promise<void> {
  const client = await context.connect();
  const prompt = await getPrompt(client, { owner, slug });
  const to = numberOf(prompt, target);
  const from = versionOf(prompt, name);
  // Where it is to be is never a surprise: what ran before can run again.
  if (expect !== undefined && from !== to && expect !== (from ?? "none")) {
    const is = from === null ? "does not exist" : `is at version ${from}`;
    const not =
      expect === "none"
        ? "but --expect none requires that it does not"
        : `but --expect requires version ${expect}`;
    throw apiError("label_conflict", { message: `The label ${name} of ${prompt.ref} ${is}, ${not}.` });
  }
  await confirmMove(context, client, prompt, { name, to, reason });
}

function numberOf(prompt: Prompt, target: VersionName): number {
  if ("version" in target) return target.version;
  const n = target.label === "latest" ? prompt.latestVersion : versionOf(prompt, target.label);
  if (n !== null) return n;
  const meant = didYouMean(target.label, ["latest", ...Object.keys(prompt.labels)]);
  throw apiError("not_found", { message: `${prompt.ref} has no label ${target.label}.${meant}` });
}
