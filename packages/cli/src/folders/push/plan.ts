import type { Client } from "../../requests/client.ts";
import { ApiError } from "@promptreg/core/errors";
import { advise, InputError } from "../../errors.ts";
import {
  type Metadata,
  type MetadataChanges,
  type Address,
  metadataOf,
  addressOf,
  compareMetadata,
  isWider,
  exposureByChange,
  valuesOf,
} from "../../prompts/index.ts";
import { baseToName } from "../compare/base.ts";
import { compareWithLatest } from "../compare/latest.ts";
import { refuseHiddenDeletions } from "../compare/left-behind.ts";
import { metadataConflict, agreedAfterPush, lastAgreedMetadata, changesLeft } from "../compare/metadata.ts";
import type { Remote } from "../compare/remote.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import { namesOf, planCreation, withSource } from "./plan-creation.ts";
import { recordPush } from "./record.ts";
import type { Plan, Pushed, Pushing } from "./types.ts";
import { quoted } from "../../terminal/text.ts";

/** What is done with the files and the labels of a prompt; `send` gives what is only known then. */
type Step = Pick<
  Pushed,
  "status" | "versionNumber" | "labels" | "labelsLeft" | "warnings" | "variables" | "diff"
> & {
  send: () => Promise<Partial<Pushed>>;
};

/** Finds what brings the registry to where the folder is: to create, to commit, to edit, or nothing. Changes nothing. */
export async function planPush(
  pushing: Pushing,
  local: LocalPrompt,
  { address, remote }: { address: Address; remote: Remote | null },
): Promise<Plan> {
  const isSame = remote?.latest?.contentHash === local.contentHash;
  const isOther =
    !isSame || Object.keys(compareMetadata(local.manifest, metadataOf(remote), null).ours).length > 0;
  if (pushing.options.dryRun || isOther || pushing.options.label)
    await (await import("../local/rules.ts")).requireRules(local, pushing.options);
  if (remote === null) return planCreation(pushing, local, address);
  refuseOtherKind(local, remote);
  const { client, origin, options } = pushing;
  const sides = {
    remote: metadataOf(remote),
    declared: local.manifest,
    known: await lastAgreedMetadata(local, remote, origin),
  };
  const diff = compareMetadata(local.manifest, sides.remote, options.onto === undefined ? sides.known : null);
  const { ours, both } = diff;
  if (both.length > 0) throw metadataConflict(remote.ref, both);
  const { send, ...step } = isSame ? await keep(pushing, remote) : await commit(pushing, local, remote);
  const isEdited = step.status === "unchanged" && Object.keys(ours).length > 0;
  const pushed: Pushed = {
    folder: local.folder,
    contentHash: local.contentHash,
    leftBehind: local.leftBehind,
    ref: remote.ref,
    ...step,
    files: isSame ? [] : local.files.map(({ path }) => path),
    status: isEdited ? "edited" : step.status,
    about: ours,
    aboutLeft: changesLeft(diff, sides),
    opens: withSource(
      local,
      await exposureByChange(client, remote, {
        visibility: ours.visibility?.to,
        declared: local.manifest.visibility,
        files: local.files,
        commits: !isSame,
      }),
    ),
  };
  return sending(pushing, {
    local,
    remote,
    pushed,
    changes: ours,
    send,
    agreed: agreedAfterPush(diff, sides),
  });
}

function refuseOtherKind(local: LocalPrompt, remote: Remote): void {
  if (remote.kind === local.manifest.kind) return;
  throw new InputError(
    `${remote.ref} has kind ${remote.kind}, but ${local.folder} has kind ${local.manifest.kind}. A kind cannot change. Push it under another name.`,
  );
}

interface Sending {
  local: LocalPrompt;
  remote: Remote;
  pushed: Pushed;
  changes: MetadataChanges;
  send: Step["send"];
  /** What the folder and the registry agree on afterwards. */
  agreed: Partial<Metadata>;
}

/** The plan that sends the files and the metadata in the right order, and keeps what was pushed. */
function sending(pushing: Pushing, { local, remote, pushed, changes, send, agreed }: Sending): Plan {
  const isSame = pushed.files.length === 0;
  const sent: string[] = [];
  const edit = async (part: MetadataChanges) => {
    const names = Object.keys(part);
    if (names.length === 0) return;
    await pushing.client.prompts.update({ ...addressOf(remote), body: valuesOf(part) });
    sent.push(`its ${names.join(", ")}`);
  };
  return {
    pushed,
    sent,
    async send() {
      const { first, last } = inOrder(changes, isSame);
      await edit(first);
      const done = { ...pushed, ...(await send()) };
      if (!isSame) sent.push(`version ${done.versionNumber}`);
      await edit(last);
      return recordPush(pushing, local, done, { id: remote.id, about: agreed });
    },
  };
}

/** Whoever is to see a prompt no more sees no version after that; all else follows the files. */
function inOrder(
  changes: MetadataChanges,
  isSame: boolean,
): { first: MetadataChanges; last: MetadataChanges } {
  const { visibility, ...others } = changes;
  if (visibility === undefined || isSame || !isWider(visibility.from, visibility.to))
    return { first: {}, last: changes };
  return { first: { visibility }, last: others };
}

/**
 * A version gets a label once. Who then moved the label away, to roll back for instance, had a reason that a push of
 * the same files, as when CI runs again, must not undo.
 */
async function keep({ client, options: { label: wanted = [] } }: Pushing, remote: Remote): Promise<Step> {
  const versionNumber = remote.latest?.n ?? 1;
  const moves: { name: string; from: number | null }[] = [];
  const labelsLeft: string[] = [];
  for (const name of wanted) {
    const from = Object.hasOwn(remote.labels, name) ? (remote.labels[name] ?? null) : null;
    if (from === versionNumber) continue;
    if (await wasAt(client, { ...addressOf(remote), name }, versionNumber)) labelsLeft.push(name);
    else moves.push({ name, from });
  }
  return {
    status: "unchanged",
    versionNumber,
    labels: moves.map(({ name }) => name),
    labelsLeft,
    warnings: [],
    variables: [],
    async send() {
      for (const { name, from } of moves) {
        const body = { versionNumber, expectedVersionNumber: from };
        await client.prompts.labels.put({ ...addressOf(remote), name, body });
      }
      return {};
    },
  };
}

/** Whether a label has ever pointed to a version. */
async function wasAt(client: Client, path: Address & { name: string }, n: number): Promise<boolean> {
  try {
    for await (const { toVersionNumber } of client.prompts.labels.history({ ...path, query: { limit: 100 } }))
      if (toVersionNumber === n) return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
  }
  return false;
}

async function commit(
  { client, origin, suggestMessage, options: { label: labels = [], dryRun, onto, ...options } }: Pushing,
  local: LocalPrompt,
  remote: Remote,
): Promise<Step> {
  const baseVersionNumber = await baseToName(client, local, remote, { origin, onto });
  await refuseHiddenDeletions(client, local, remote);
  const message = options.message ?? (await suggestMessage?.(local, remote.ref));
  const body = { files: local.files, message, labels, baseVersionNumber };
  return {
    status: "committed",
    versionNumber: null,
    labels,
    labelsLeft: [],
    warnings: local.entry.warnings,
    variables: namesOf(local.entry),
    ...(dryRun && { diff: await compareWithLatest(client, local, remote) }),
    async send() {
      const { n, warnings, variables } = await client.prompts.versions
        .create({ ...addressOf(remote), body })
        .catch((error: unknown) => {
          throw error instanceof ApiError && error.code === "version_conflict"
            ? advise(
                error,
                `\`promptreg pull ${remote.ref} --into ${quoted(local.folder)}\` merges it. Then push again.`,
              )
            : error;
        });
      return { versionNumber: n, warnings, variables: namesOf({ variables }) };
    },
  };
}
