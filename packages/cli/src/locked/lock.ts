import { countOf } from "../terminal/text.ts";
import { ApiError } from "@promptreg/core/errors";
import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import { promptsOf } from "../collections/index.ts";
import type { PromptSource } from "../grammar/arguments.ts";
import type { Context } from "../settings/context.ts";
import { CheckError, InputError, Interrupted } from "../errors.ts";
import { withLock } from "../disk/lock.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { forEach } from "../requests/for-each.ts";
import { faultOf } from "./digest.ts";
import { findVersion, type FoundVersion } from "./find-version.ts";
import { findListed } from "./listed.ts";
import {
  type Found,
  findLocked,
  isSame,
  isSameText,
  keyOf,
  lockfileAt,
  type Prompts,
  printLocked,
} from "./lockfile.ts";
import { notesOn } from "./notes.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import type { Output } from "../terminal/output.ts";

/** What became of one address; null where it was not, or is no longer, locked. */
interface Change {
  ref: string;
  from: number | null;
  to: number | null;
  status: "locked" | "moved" | "removed" | "renewed" | "unchanged";
}

export async function lock(
  context: Context,
  given: readonly PromptSource[],
  { file: named, remove: removed = [] }: { file?: string; remove?: PromptAddress[] },
): Promise<void> {
  const file = lockfileAt(named);
  const { output } = context;
  const addresses = await promptsOf({ client: () => context.connect(), output }, given);
  const before = await findLocked(file);
  const removals = removed.map(keyOf);
  checkRemovals(file, before, removals);
  const isAll = addresses.length === 0 && removals.length === 0;
  if (isAll && before.text === "")
    throw new InputError(`${file} does not exist. Name a prompt to lock, such as owner/slug@production.`);
  const refs = isAll ? Object.keys(before.prompts) : [...new Set(addresses.map(keyOf))];
  checkConflicts(before, [...refs, ...removals]);

  const renewed = await findAll(context, refs, { file, known: before.prompts });
  const change = (known: Prompts) =>
    Object.fromEntries(Object.entries({ ...known, ...renewed }).filter(([ref]) => !removals.includes(ref)));
  let prompts = change(before.prompts);
  const isWritten = !isSameText(printLocked(prompts), before.text);
  if (isWritten)
    await withLock(file, "lockfile", async () => {
      // Another command may have written it since.
      const now = await findLocked(file);
      if (now.text !== before.text) prompts = change(now.prompts);
      await replaceFile(file, printLocked(prompts));
    });

  const all = [...new Set([...Object.keys(before.prompts), ...Object.keys(prompts)])].sort();
  const changes = all.map((ref) => changeOf(ref, before.prompts, prompts));
  output.result({ file, isWritten, prompts: changes }, () => asText(file, changes, isWritten, output));
}

function checkRemovals(file: string, { prompts }: Found, removals: readonly string[]): void {
  const locked = Object.keys(prompts);
  const unknown = removals.find((ref) => !locked.includes(ref));
  if (unknown === undefined) return;
  throw new InputError(`${file} does not contain ${unknown}.${didYouMean(unknown, locked)}`);
}

/** What a merge left with two versions is never decided by chance. */
function checkConflicts({ conflicting }: Found, settled: readonly string[]): void {
  const open = conflicting.filter((ref) => !settled.includes(ref));
  if (open.length === 0) return;
  throw new InputError(
    `The merge has two versions of ${open.join(", ")}. Add these addresses to the command: they are locked as they are in the registry.`,
  );
}

/** All of them or none: what the registry does not have leaves the file as it was. */
async function findAll(
  context: Context,
  refs: readonly string[],
  { file, known }: { file: string; known: Prompts },
): Promise<Prompts> {
  if (refs.length === 0) return {};
  const { connect, output, holdInterrupts } = context;
  const client = await connect();
  const signal = holdInterrupts();
  const listed = await findListed(client, refs, signal);
  const found = await forEach(output, "locked", refs, async (ref, end) => {
    const version =
      listed.get(ref) ?? (await findVersion(client, context, parseRef(ref), AbortSignal.any([signal, end])));
    const fault = version.refusal === undefined && (await faultOf(ref, version.locked));
    if (fault) throw new CheckError(`The registry sent ${ref} damaged. ${file} did not change. ${fault}`);
    return version;
  }).catch((error: unknown) => {
    throw signal.aborted ? new Interrupted(`${file} did not change.`) : error;
  });
  const results = refs.map((ref, index) => ({ at: ref, ...(found[index] as FoundVersion) }));
  const details = results.flatMap(({ at, ...result }) =>
    result.refusal === undefined ? [] : [{ path: at, code: result.code, message: result.refusal }],
  );
  if (details.length > 0) {
    const lost = details.find(({ path }) => Object.hasOwn(known, path));
    const advice = lost ? ` \`promptreg lock --remove ${lost.path}\` removes it.` : "";
    const message = `${details.length} of ${refs.length} cannot be locked. ${file} did not change.${advice}`;
    throw new ApiError({ code: "not_found", status: 404, message, details });
  }
  return Object.fromEntries(
    results.flatMap((result) => {
      if (result.refusal !== undefined) return [];
      for (const note of notesOn(result.at, result)) output.note(note);
      return [[result.at, result.locked]];
    }),
  );
}

function changeOf(ref: string, before: Prompts, after: Prompts): Change {
  const [old, now] = [before[ref], after[ref]];
  const [from, to] = [old?.version ?? null, now?.version ?? null];
  if (from === to) return { ref, from, to, status: isSame(old, now) ? "unchanged" : "renewed" };
  return { ref, from, to, status: from === null ? "locked" : to === null ? "removed" : "moved" };
}

function asText(file: string, changes: readonly Change[], isWritten: boolean, output: Output): string {
  const { bold, dim } = output.colors;
  const changed = changes.filter(({ status }) => status !== "unchanged");
  const rows = changed.map(({ ref, from, to, status }) => [
    bold(ref),
    status === "renewed" ? `${to}, updated` : `${from ?? "none"} → ${to ?? "none"}`,
  ]);
  const count = changes.length - changed.length;
  const unchanged = `${countOf(count, "prompt")} unchanged`;
  if (changed.length === 0) return dim(`${file}: ${unchanged}${isWritten ? ", sorted" : ""}`);
  const summary = `${file}: ${changed.length} changed${count > 0 ? `, ${unchanged}` : ""}`;
  return `${output.table(["prompt", "version"], rows)}\n${dim(summary)}`;
}
