import type { Diff } from "@promptreg/client";
import type { Client } from "../../requests/client.ts";
import {
  type CheckedFile,
  compareConfig,
  compareVariables,
  diffFiles,
  findChangedFiles,
  hasOtherBytes,
} from "@promptreg/core/content";
import type { LocalPrompt } from "../local/read-prompt.ts";
import { addressOf } from "../../prompts/index.ts";
import type { Remote } from "./remote.ts";

/** What differs between a version in the registry and a folder, which has no number yet. */
export type LocalDiff = Omit<Diff, "to">;

// A byte order mark is part of the text, as it is where the registry compares.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Compares the latest version with a folder that was read thoroughly; null where there is no version yet. */
export async function compareWithLatest(
  client: Client,
  local: LocalPrompt,
  remote: Remote | null,
): Promise<LocalDiff | null> {
  if (!remote?.latest) return null;
  const { n, files, variables, config } = await client.prompts.versions.get({
    ...addressOf(remote),
    n: remote.latest.n,
  });
  const changed = findChangedFiles<Pick<CheckedFile, "path" | "mode" | "sha256" | "encoding">>(
    files,
    local.checked,
  );
  const wanted = new Set(
    changed.filter(hasOtherBytes).flatMap(({ before, after }) => [before?.sha256, after?.sha256]),
  );
  const texts = new Map<string, string>();
  for (const { sha256, encoding, content } of files)
    if (wanted.has(sha256) && encoding === "utf8") texts.set(sha256, content ?? "");
  for (const { sha256, encoding, bytes } of local.checked)
    if (wanted.has(sha256) && encoding === "utf8") texts.set(sha256, decoder.decode(bytes));
  return {
    from: { n },
    ...(await diffFiles(changed, { texts })),
    variables: compareVariables(variables, local.entry.variables),
    config: { changed: compareConfig(config, local.entry.config) },
  };
}
