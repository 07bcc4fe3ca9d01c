import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../context.ts";
import { getPrompt } from "../get-prompt.ts";
import { plain } from "../output.ts";

export async function moveLabel(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  name: string,
  versionNumber: number,
  { reason, expect }: { reason?: string; expect?: number | "none" },
): Promise<void> {
  const client = await connect();
  const { ref, labels } = await getPrompt(client, { owner, slug });
  const from = Object.hasOwn(labels, name) ? (labels[name] ?? null) : null;
  const body = { versionNumber, reason, expectedVersionNumber: expect === "none" ? null : expect };
  const label = await client.prompts.labels.put({ owner, slug, name, body });
  const { bold } = output.colors;
  output.result(
    { ref, from, to: label.versionNumber, label },
    () => `${plain(ref)} ${bold(plain(name))}: ${from ?? "none"} → ${label.versionNumber}`,
  );
}
