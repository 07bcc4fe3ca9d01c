import { join } from "node:path";
import type { Manifest } from "@promptreg/core";
import { visit } from "jsonc-parser";
import { InputError } from "../../errors.ts";
import { unreadable } from "../../terminal/read-input.ts";
import { readFileAt } from "../../disk/read-file.ts";
import { isObject } from "../../terminal/objects.ts";

export type { Manifest } from "@promptreg/core";

/** The file that makes a folder a prompt; it stays at home. */
export const manifestName = "promptreg.json";

/** Far more than a manifest needs. */
const maxMebibytes = 1;

/** Reads the text of a manifest, and how it may be used. */
export const readManifestFile = (file: string) => readFileAt(file, maxMebibytes);

/** Reads the manifest of a folder, by the registry's own rules; `given` stands for what it lacks. */
export async function readManifest(folder: string, given: Partial<Manifest> = {}): Promise<Manifest> {
  const { checkManifest } = await import("./check-manifest.ts");
  return checkManifest({ ...given, ...readFields(folder) }, join(folder, manifestName));
}

/** Reads what stands in the manifest of a folder, whatever it is. */
export function readFields(folder: string): Record<string, unknown> {
  const file = join(folder, manifestName);
  return parse(decode(readManifestFile(file).bytes, file), file);
}

/** Without the mark with which some editors begin a file. */
function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function parse(content: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    // What the parser says quotes the file, and whoever reads it need not be whoever may read that.
    throw new InputError(`${file} is not valid JSON${faultIn(content, file)}.`);
  }
  if (!isObject(value)) throw new InputError(`${file} must contain an object.`);
  refuseDuplicates(content, file);
  return { ...value };
}

/** ` at line 2, column 5`; nothing where that cannot be told. */
function faultIn(content: string, file: string): string {
  let place = "";
  walk(content, file, {
    onError(_error, _offset, _length, line, column) {
      place ||= ` at line ${line + 1}, column ${column + 1}`;
    },
  });
  return place;
}

/** Of two values for a key people read the first, and programs take the last. */
function refuseDuplicates(content: string, file: string): void {
  const keys = new Set<string>();
  walk(content, file, {
    onObjectProperty(key, _offset, _length, line, _column, path) {
      if (path().length > 0) return;
      if (keys.has(key))
        throw new InputError(`${file} has ${JSON.stringify(key)} twice, again in line ${line + 1}.`);
      keys.add(key);
    },
  });
}

function walk(content: string, file: string, visitor: Parameters<typeof visit>[1]): void {
  try {
    visit(content, visitor, { disallowComments: true });
  } catch (error) {
    throw error instanceof RangeError ? new InputError(`${file} is nested too deeply.`) : error;
  }
}
