import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../context.ts";
import { printDiff } from "../print-diff.ts";

export async function diff(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  range: string,
): Promise<void> {
  const client = await connect();
  const found = await client.prompts.diff({ owner, slug, range });
  output.result(found, () => printDiff(found, output));
}
