import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "@promptreg/core";
import { InputError } from "../errors.ts";
import { unreadable } from "../read-input.ts";

export type { Manifest } from "@promptreg/core";

/** The file that makes a folder a prompt; it stays at home. */
export const manifestName = "promptreg.json";

/** Reads the manifest of a folder, by the registry's own rules. */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, manifestName);
  const content = await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const { checkManifest } = await import("./check-manifest.ts");
  return checkManifest(parse(content, file), file);
}

function parse(content: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new InputError(`${file} is not valid JSON: ${(error as Error).message}.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new InputError(`${file} must hold an object.`);
}
