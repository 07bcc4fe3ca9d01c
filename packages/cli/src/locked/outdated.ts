import { countOf } from "../terminal/text.ts";
import type { LockedPrompt } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { parseRef } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { CheckError } from "../errors.ts";
import { forEach } from "../requests/for-each.ts";
import type { Caller } from "../requests/unseen.ts";
import { atVersion, findVersion, type FoundVersion } from "./find-version.ts";
import { findListed } from "./listed.ts";
import { lockfileAt, readLocked } from "./lockfile.ts";
import { notesOn } from "./notes.ts";
import type { Output } from "../terminal/output.ts";

/** One locked prompt beside what is there now. */
interface Standing {
  ref: string;
  locked: number;
  /** Where the address leads now; null where it leads nowhere. */
  current: number | null;
  /** When the label left the locked version; null if it did not, and for what is no label. */
  movedAt: string | null;
  /** Whether the locked version is yanked. */
  isYanked: boolean;
  status: "current" | "outdated" | "removed" | "gone";
  notes: string[];
}

export async function outdated(
  context: Context,
  { file: named, exitCode }: { file?: string; exitCode?: boolean },
): Promise<void> {
  const file = lockfileAt(named);
  const prompts = Object.entries(await readLocked(file));
  const { connect, output } = context;
  const client = await connect();
  const refs = prompts.map(([ref]) => ref);
  const listed = await findListed(client, refs);
  const found = await forEach(output, "asked", prompts, async ([ref, locked], signal) => {
    const there = atVersion(listed.get(ref), locked.version);
    return there ? standingOf(ref, locked, there) : compare(client, context, ref, locked, signal);
  });
  for (const note of found.flatMap(({ notes }) => notes)) output.note(note);
  const standings = found.map(({ notes: _, ...standing }) => standing);
  const behind = standings.filter(({ status }) => status !== "current");
  output.result({ file, prompts: standings }, () => asText(file, standings, output));
  if (exitCode && behind.length > 0)
    throw new CheckError(`${behind.length} of ${standings.length} locked prompts are outdated.`);
}

/** How a prompt stands whose address leads to the locked version, if that is still there. */
function standingOf(ref: string, { version: locked }: LockedPrompt, found: FoundVersion): Standing {
  const standing = { ref, locked, movedAt: null };
  if (found.refusal !== undefined)
    return {
      ...standing,
      current: null,
      isYanked: false,
      status: "gone",
      notes: [`${ref}: ${found.refusal}`],
    };
  const isYanked = found.locked.yanked === true;
  return { ...standing, current: locked, isYanked, status: "current", notes: notesOn(ref, found) };
}

async function compare(
  client: Client,
  caller: Caller,
  ref: string,
  locked: LockedPrompt,
  signal: AbortSignal,
): Promise<Standing> {
  const { owner, slug, label } = parseRef(ref);
  const { version } = locked;
  const found = await findVersion(client, caller, { owner, slug, version }, signal);
  const standing = standingOf(ref, locked, found);
  if (label === undefined || found.refusal !== undefined) return standing;
  for await (const { name, versionNumber, updatedAt } of client.prompts.labels.list(
    { owner, slug },
    { signal },
  )) {
    if (name !== label) continue;
    if (versionNumber === version) return standing;
    return { ...standing, current: versionNumber, movedAt: updatedAt, status: "outdated" };
  }
  return {
    ...standing,
    current: null,
    status: "removed",
    notes: [...standing.notes, `${ref}: the label ${label} does not exist.`],
  };
}

function asText(file: string, standings: readonly Omit<Standing, "notes">[], output: Output): string {
  const { bold, dim, yellow } = output.colors;
  const shown = standings.filter(({ status, isYanked }) => status !== "current" || isYanked);
  if (shown.length === 0) {
    return dim(`${file}: ${countOf(standings.length, "prompt")}, none outdated`);
  }
  const rows = shown.map(({ ref, locked, current, movedAt, isYanked, status }) => [
    bold(ref),
    String(locked),
    String(current ?? "none"),
    movedAt === null ? "" : movedAt.slice(0, 16).replace("T", " "),
    yellow([status === "current" ? "" : status, isYanked ? "yanked" : ""].filter(Boolean).join(", ")),
  ]);
  return output.table(["prompt", "locked", "now", "moved (UTC)", ""], rows);
}
