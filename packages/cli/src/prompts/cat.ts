import { ApiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { InputError } from "../errors.ts";

export async function cat(
  { connect, output, stdout }: Context,
  { owner, slug, ...which }: PromptAddress,
  path: string | undefined,
): Promise<void> {
  const client = await connect();
  const readVersion = () => client.prompts.get({ owner, slug, query: { ...which, view: "version" } });
  if (output.isJson) {
    output.result(await readVersion());
    return;
  }
  try {
    const file = await client.prompts.raw.get({ owner, slug, query: { ...which, path } });
    const bytes = await file.bytes();
    stdout.write(stdout.isTTY ? output.foreign(new TextDecoder().decode(bytes)) : bytes);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_text")) throw error;
    if (stdout.isTTY) throw new InputError(`${path} is binary. Write it to a file: > ${path}`);
    const { version } = await readVersion();
    const file = version?.files.find((file) => file.path === path);
    stdout.write(Buffer.from(file?.content ?? "", "base64"));
  }
}
