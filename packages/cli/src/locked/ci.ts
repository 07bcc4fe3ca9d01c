import type { LockedPrompt } from "@promptreg/client";
import { parseRef } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { faultOf } from "./digest.ts";
import { forEach } from "../requests/for-each.ts";
import { atVersion, findVersion, type FoundVersion } from "./find-version.ts";
import { findListed } from "./listed.ts";
import { isSame, lockfileAt, readLocked } from "./lockfile.ts";
import { notesOn } from "./notes.ts";
import { reportChecks } from "./report.ts";

export async function ci(context: Context, { file: named }: { file?: string }): Promise<void> {
  const file = lockfileAt(named);
  const prompts = Object.entries(await readLocked(file));
  const { connect, output } = context;
  const client = await connect();
  const refs = prompts.map(([ref]) => ref);
  const listed = await findListed(client, refs);
  const checked = await forEach(output, "checked", prompts, async ([ref, locked], signal) => {
    const { owner, slug } = parseRef(ref);
    const { version, contentHash } = locked;
    const found =
      atVersion(listed.get(ref), version) ??
      (await findVersion(client, context, { owner, slug, version }, signal));
    return { ref, version, contentHash, ...(await check(ref, locked, found)) };
  });
  for (const note of checked.flatMap(({ notes }) => notes)) output.note(note);
  const results = checked.map(({ notes: _, ...one }) => one);
  reportChecks(output, file, results, "the same in the registry");
}

interface Outcome {
  isYanked: boolean;
  problem: string | null;
  notes: string[];
}

async function check(ref: string, locked: LockedPrompt, found: FoundVersion): Promise<Outcome> {
  if (found.refusal !== undefined) return { isYanked: false, problem: found.refusal, notes: [] };
  const { yanked: isYanked = false, ...there } = found.locked;
  const { yanked: _, ...here } = locked;
  let problem = await faultOf(ref, locked);
  if (problem === undefined && here.contentHash !== there.contentHash)
    problem = `The registry has other files for version ${here.version}. Check that this is the right registry.`;
  // These are read from the files, and stand in no digest.
  if (problem === undefined && !isSame(here, there))
    problem = `Its variables or config differ from version ${here.version}.`;
  return { isYanked, problem: problem ?? null, notes: notesOn(ref, found) };
}
