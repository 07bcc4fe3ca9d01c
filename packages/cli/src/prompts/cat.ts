import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { InputError } from "../errors.ts";
import { checkVersion } from "../requests/read-version.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { quoted } from "../terminal/text.ts";

export async function cat(
  { connect, output, stdout }: Context,
  { owner, slug, ...which }: PromptAddress,
  wanted: string | undefined,
): Promise<void> {
  const client = await connect();
  const found = await client.prompts.get({ owner, slug, query: { ...which, view: "version" } });
  const { version, files } = await checkVersion(found);
  if (output.isJson) {
    output.result(found);
    return;
  }
  const path = wanted ?? version.entry;
  const file = files.find((file) => file.path === path);
  if (file === undefined) {
    const meant = didYouMean(
      path,
      files.map((one) => one.path),
    );
    throw apiError("not_found", { message: `${found.ref} has no file ${path}.${meant}` });
  }
  const { bytes, encoding } = file;
  if (stdout.isTTY && encoding !== "utf8")
    throw new InputError(`${path} is binary. Write it to a file: > ${quoted(path)}`);
  stdout.write(stdout.isTTY ? output.foreign(new TextDecoder().decode(bytes)) : bytes);
}
