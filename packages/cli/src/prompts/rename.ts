import { cell } from "../terminal/text.ts";
import { refOf } from "./get-prompt.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";

export async function rename(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  to: string,
): Promise<void> {
  const client = await connect();
  await client.prompts.update({ owner, slug, body: { slug: to } });
  const [from, ref] = [refOf({ owner, slug }), refOf({ owner, slug: to })];
  const { bold } = output.colors;
  output.result(
    { ref, from },
    () => `${cell(from)} is now ${bold(cell(ref))}. The old address redirects there`,
  );
  output.note(`Write the new address into its folders: \`promptreg pull ${ref} --into <folder>\`.`);
}
