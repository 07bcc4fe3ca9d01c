import type { Client } from "../../requests/client.ts";
import type { CheckedFile } from "@promptreg/core/content";
import type { PromptAddress } from "@promptreg/core/refs";
import { type ReadVersion, readVersion as read } from "../../requests/read-version.ts";
import { takenOf } from "../local/read-folder.ts";

/** A prompt at a version, with the files that belong into its folder. */
export interface PulledPrompt extends ReadVersion {
  /** Paths that a push would not take: they are not written. */
  leftOut: string[];
}

/** Reads a version from the registry; see `requests/read-version.ts`. */
export async function readVersion(client: Client, address: PromptAddress): Promise<PulledPrompt> {
  const { files, ...found } = await read(client, address);
  const taken = takenOf(files.map(({ path }) => path));
  const isKept = ({ path }: CheckedFile) => taken.has(path);
  const leftOut = files.filter((file) => !isKept(file)).map(({ path }) => path);
  return { ...found, files: files.filter(isKept), leftOut };
}
