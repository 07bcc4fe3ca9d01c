import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { faultOf, InputError } from "../../errors.ts";
import { type Manifest, manifestName, readManifestFile } from "./manifest.ts";

/** The file as it would be with other values: its other keys, their order and its layout stay. Undefined removes a key. */
function withFields(text: string, fields: Partial<Manifest>): string {
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return Object.entries(fields).reduce(
    (edited, [key, value]) => applyEdits(edited, modify(edited, [key], value, { formattingOptions })),
    text,
  );
}

/**
 * Changes fields of a folder's manifest. Whoever reads it meanwhile sees the old file or the new one.
 * @throws {InputError} where it cannot be written, with the file as it was.
 */
export async function editManifest(folder: string, fields: Partial<Manifest>): Promise<void> {
  const file = join(folder, manifestName);
  const draft = join(folder, `.promptreg-${randomUUID()}`);
  try {
    const { bytes, mode } = readManifestFile(file);
    const text = bytes.toString();
    // Some editors begin a file with a mark, which is no part of its text.
    const [start = ""] = /^\ufeff?/.exec(text) ?? [];
    const edited = start + withFields(text.slice(start.length), fields);
    if (edited === text) return;
    await writeFile(draft, edited, { mode, flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file} cannot be written: ${faultOf(error)}. It did not change.`);
  } finally {
    await rm(draft, { force: true });
  }
}
