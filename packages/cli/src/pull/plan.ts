import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@promptreg/client";
import { parseRef } from "@promptreg/core/refs";
import { CheckError, InputError } from "../errors.ts";
import { manifestName } from "../push/manifest.ts";
import { type LocalPrompt, readPrompt } from "../push/read-prompt.ts";
import { unreadable } from "../read-input.ts";
import { findVersion } from "../push/find-version.ts";
import type { PulledPrompt } from "./read-version.ts";

/** A prompt, and the folder where it goes. */
export interface Planned {
  pulled: PulledPrompt;
  folder: string;
  /** What is in the folder now; null where there is none. */
  local: LocalPrompt | null;
  /** `overwritten`: what is there is in no version of the prompt, and would be lost. */
  status: "created" | "updated" | "unchanged" | "overwritten";
}

/** The name of a prompt's folder; its address comes from the registry, and must not lead elsewhere. */
export function folderOf(into: string, ref: string): string {
  try {
    return join(into, parseRef(ref).slug);
  } catch {
    throw new CheckError(`The registry calls a prompt ${JSON.stringify(ref)}, which is no address.`);
  }
}

/** Looks at the folder of a prompt, and says what a pull would do to it. */
export async function planFor(client: Client, pulled: PulledPrompt, into: string): Promise<Planned> {
  const { prompt, version } = pulled;
  const folder = folderOf(into, prompt.ref);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    throw unreadable(folder, error);
  });
  if (names.length === 0) return { pulled, folder, local: null, status: "created" };
  if (!names.includes(manifestName)) {
    throw new InputError(
      `${folder} is there, but not as a prompt. Pull ${prompt.ref} elsewhere, with --into.`,
    );
  }
  const local = await readPrompt(folder, { pulled: pulled.files.map(({ path }) => path) });
  const named = local.manifest.prompt;
  if (named !== prompt.ref && named !== prompt.slug) {
    throw new InputError(`${folder} holds ${named}. Pull ${prompt.ref} elsewhere, with --into.`);
  }
  const written = pulled.leftOut.length === 0 ? version.contentHash : null;
  if (local.contentHash === written) return { pulled, folder, local, status: "unchanged" };
  const isKnown = (await findVersion(client, prompt.ref, local.contentHash)) !== null;
  return { pulled, folder, local, status: isKnown ? "updated" : "overwritten" };
}
