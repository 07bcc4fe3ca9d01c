import { dirname, join } from "node:path";
import { countOf } from "../terminal/text.ts";
import type { Context } from "../settings/context.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { CheckError } from "../errors.ts";
import { checkLocked } from "./digest.ts";
import { isSameText, lockfileAt, readLocked, readText } from "./lockfile.ts";
import { printTypes } from "./types.ts";

interface Options {
  file?: string;
  out?: string;
  check?: boolean;
  strict?: boolean;
}

export async function codegen(
  { output }: Context,
  { file: named, out: wanted, check = false, strict = false }: Options,
): Promise<void> {
  const file = lockfileAt(named);
  const out = wanted ?? join(dirname(file), "promptreg.d.ts");
  const prompts = await readLocked(file);
  if ((await checkLocked(prompts)).some(({ problem }) => problem !== null))
    throw new CheckError(`${file} is not valid. \`promptreg verify\` shows why.`);
  const text = printTypes(prompts, strict);
  const isUpToDate = isSameText(await readText(out), text);
  if (!isUpToDate && check)
    throw new CheckError(`${out} is out of date with ${file}. Run \`promptreg codegen\`.`);
  if (!isUpToDate) await replaceFile(out, text);
  const count = Object.keys(prompts).length;
  const { dim } = output.colors;
  output.result({ file, out, prompts: count, isWritten: !isUpToDate }, () =>
    isUpToDate ? dim(`${out} is up to date`) : `${out} has types for ${countOf(count, "prompt")}`,
  );
}
