import type { ChangeRequest } from "@promptreg/client";
import { type ApiError, apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import { lookAt } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { printDiff } from "../terminal/diff.ts";
import { cell } from "../terminal/text.ts";
import { stateOf } from "./show.ts";
import { ifUnchanged } from "../requests/if-unchanged.ts";

/** More would not be read before a question; `change-request diff` shows all. */
const maxLines = 200;

/**
 * Merges what was shown. If the prompt got another version meanwhile, or if the author proposes something else now, nothing is
 * merged.
 */
export async function merge(
  { connect, confirm, output }: Context,
  { owner, slug }: PromptAddress,
  n: number,
  { message, theirs = false }: { message?: string; theirs?: boolean },
): Promise<void> {
  const client = await connect();
  const at = { owner, slug, n };
  const [{ data: found, response }, { items }] = await Promise.all([
    client.changeRequests.get(at).withResponse(),
    client.prompts.versions.list({ owner, slug, query: { limit: 1 } }),
  ]);
  const ref = cell(found.target.ref);
  const latest = items[0]?.n;
  if (found.state === "open" && found.mergeable === "conflict" && !theirs) throw conflictError(found, latest);
  if (found.state === "open" && found.viewer?.canMerge === false) {
    throw apiError("forbidden", { message: `Only the owner of ${ref} can merge its change requests.` });
  }
  // What the merge would do, and not only what was proposed: the prompt may have moved on.
  const diff = await client.changeRequests.diff({ ...at, query: { against: "latest" } });
  output.draw((brush) =>
    [
      `${brush.colors.bold(`${ref} ${n}`)}  ${cell(found.title)}`,
      stateOf(found, output),
      printDiff(diff, brush, { maxLines, more: `promptreg change-request diff ${ref} ${n}` }),
    ].join("\n"),
  );
  await confirm(`Merge change request ${n} into ${ref}?`);
  const body = {
    message,
    strategy: theirs ? ("theirs" as const) : ("auto" as const),
    expectedVersionNumber: latest,
  };
  const merged = await lookAt(
    client.changeRequests.merge({ ...at, body }, ifUnchanged(response)),
    `promptreg change-request show ${ref} ${n}`,
  );
  const version = merged === undefined ? "a new version" : `version ${merged.version.n}`;
  output.result(merged ?? null, () => `${output.colors.bold(ref)} has ${version}, of change request ${n}`);
}

/** Both ways on: the proposed files, or a proposal that has both changes and says so. */
function conflictError(
  { target, conflicts, author, n }: ChangeRequest,
  latest: number | undefined,
): ApiError {
  const files = conflicts.map(cell).join(", ");
  const edit = `promptreg change-request edit ${target.ref} ${n} --propose latest --base ${latest}`;
  return apiError("merge_conflict", {
    message: `${cell(target.ref)} and the proposal both changed ${files}. --theirs takes the proposed files. Or ${cell(author.handle)} merges version ${latest} into the fork (\`promptreg fork sync\`), pushes that, and says so: \`${edit}\`.`,
  });
}
