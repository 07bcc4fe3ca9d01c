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
    () => `${cell(from)} is ${bold(cell(ref))} now; the old address leads there for ever`,
  );
  output.note(
    `The manifests of its folders want the new address: \`promptreg pull ${ref} --into <folder>\` writes it.`,
  );
}
