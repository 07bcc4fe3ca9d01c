import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { InputError } from "../errors.ts";

/**
 * Replaces a file as a whole: whoever reads meanwhile sees the old one or the new one.
 * @param id of the run that it belongs to: what it leaves is found by that.
 */
export async function replaceFile(file: string, text: string, id: string = randomUUID()): Promise<void> {
  const draft = `${file}.${id}`;
  try {
    await writeFile(draft, text, { flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InputError(
      `${file} cannot be written: ${code === "ENOENT" ? "the folder does not exist" : message}.`,
    );
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}
