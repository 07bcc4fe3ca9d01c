import { countOf } from "../terminal/text.ts";
import type { LockedPrompt } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { parseRef } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { CheckError } from "../errors.ts";
import { forEach } from "../requests/for-each.ts";
import type { Caller } from "../requests/unseen.ts";
import { findVersion } from "./find-version.ts";
import { lockfileAt, readLocked } from "./lockfile.ts";
import { notesOn } from "./notes.ts";
import type { Output } from "../terminal/output.ts";

/** One locked prompt beside what is there now. */
interface Standing {
  ref: string;
  locked: number;
  /** Where the address leads now; null where it leads nowhere. */
  current: number | null;
  /** When the label came to where it is; null for what is no label. */
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
  const found = await forEach(output, "asked", prompts, ([ref, locked], signal) =>
    compare(client, context, ref, locked, signal),
  );
  for (const note of found.flatMap(({ notes }) => notes)) output.note(note);
  const standings = found.map(({ notes: _, ...standing }) => standing);
  const behind = standings.filter(({ status }) => status !== "current");
  output.result({ file, prompts: standings }, () => asText(file, standings, output));
  if (exitCode && behind.length > 0)
    throw new CheckError(`${behind.length} of ${standings.length} locked prompts are outdated.`);
}

async function compare(
  client: Client,
  caller: Caller,
  ref: string,
  { version: locked }: LockedPrompt,
  signal: AbortSignal,
): Promise<Standing> {
  const { owner, slug, label } = parseRef(ref);
  const found = await findVersion(client, caller, { owner, slug, version: locked }, signal);
  const gone: Standing = {
    ref,
    locked,
    current: null,
    movedAt: null,
    isYanked: false,
    status: "gone",
    notes: [],
  };
  if (found.refusal !== undefined) return { ...gone, notes: [`${ref}: ${found.refusal}`] };
  const standing = { ...gone, isYanked: found.locked.yanked === true, notes: notesOn(ref, found) };
  if (label === undefined) return { ...standing, current: locked, status: "current" };
  for await (const { name, versionNumber, updatedAt } of client.prompts.labels.list(
    { owner, slug },
    { signal },
  )) {
    if (name !== label) continue;
    const status = versionNumber === locked ? "current" : "outdated";
    return { ...standing, current: versionNumber, movedAt: updatedAt, status };
  }
  return {
    ...standing,
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
