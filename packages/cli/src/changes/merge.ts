import type { Diff } from "@promptreg/client";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { printDiff } from "../terminal/diff.ts";
import { cell } from "../terminal/text.ts";
import { stateOf } from "./show.ts";

/** More would not be read before a question; `change-request diff` shows all. */
const maxLines = 200;

/** Merges what was shown: a prompt that got another version meanwhile stays as it is. */
export async function merge(
  { connect, confirm, output }: Context,
  { owner, slug }: PromptAddress,
  n: number,
  { message, theirs = false }: { message?: string; theirs?: boolean },
): Promise<void> {
  const client = await connect();
  const at = { owner, slug, n };
  const [found, diff, { items }] = await Promise.all([
    client.changeRequests.get(at),
    client.changeRequests.diff(at) as Promise<Diff>,
    client.prompts.versions.list({ owner, slug, query: { limit: 1 } }),
  ]);
  const ref = cell(found.target.ref);
  if (found.state === "open" && found.mergeable === "conflict" && !theirs) {
    throw apiError("merge_conflict", {
      message: `${ref} and the proposal both changed ${found.conflicts.map(cell).join(", ")}. Take the proposed files with --theirs, or ask ${cell(found.author.handle)} to propose a version that has both changes.`,
    });
  }
  output.draw((brush) =>
    [
      `${brush.colors.bold(`${ref} ${n}`)}  ${cell(found.title)}`,
      stateOf(found, output),
      printDiff(diff, brush, { maxLines }),
    ].join("\n"),
  );
  await confirm(`Merge change request ${n} into ${ref}?`);
  const body = {
    message,
    strategy: theirs ? ("theirs" as const) : ("auto" as const),
    expectedVersionNumber: items[0]?.n,
  };
  const merged = await client.changeRequests.merge({ ...at, body });
  const version = merged === undefined ? "a new version" : `version ${merged.version.n}`;
  output.result(merged ?? null, () => `${output.colors.bold(ref)} has ${version}, of change request ${n}`);
}
