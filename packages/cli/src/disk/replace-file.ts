import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { faultOf, InputError } from "../errors.ts";

/**
 * Replaces a file as a whole: whoever reads meanwhile sees the old one or the new one.
 * @param text can come in pieces. If they end with an error, the file stays as it is.
 * @param id of the run that it belongs to: what it leaves is found by that.
 */
export async function replaceFile(
  file: string,
  text: string | Uint8Array | AsyncIterable<string>,
  id: string = randomUUID(),
): Promise<void> {
  const draft = `${file}.${id}`;
  try {
    await writeFile(draft, text, { flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // It came with the text.
    if (typeof text !== "string" && syscall === undefined) throw error;
    throw new InputError(
      `${file} cannot be written: ${code === "ENOENT" ? "the folder does not exist" : faultOf(error)}.`,
    );
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}
