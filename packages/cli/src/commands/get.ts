import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../context.ts";

export async function get(
  { connect, output, stdout }: Context,
  { owner, slug, ...which }: PromptAddress,
  { path }: { path?: string },
): Promise<void> {
  const client = await connect();
  if (output.isJson) {
    output.result(await client.prompts.get({ owner, slug, query: { ...which, view: "version" } }));
    return;
  }
  const file = await client.prompts.raw.get({ owner, slug, query: { ...which, path } });
  stdout.write(output.foreign(await file.text()));
}
