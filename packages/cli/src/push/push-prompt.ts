import type { Client, CommittedVersion, VersionSummary } from "@promptreg/client";
import { ApiError } from "@promptreg/core/errors";
import { InputError } from "../errors.ts";
import { addressOf } from "../get-prompt.ts";
import { compareWithLatest, type LocalDiff } from "./compare.ts";
import type { LeftBehind } from "./folder.ts";
import type { Manifest } from "./manifest.ts";
import type { LocalPrompt } from "./read-prompt.ts";
import { type Address, type Remote, refOf } from "./remote.ts";

export interface PushOptions {
  message?: string;
  label?: string[];
  dryRun?: boolean;
  /** Sends what looks like a secret. */
  allowSecrets?: boolean;
}

/** What became of one folder; of a dry run, what would. */
export interface Pushed {
  folder: string;
  ref: string;
  status: "created" | "committed" | "unchanged";
  /** Null where a dry run cannot know it. */
  versionNumber: number | null;
  contentHash: string;
  /** Those that now point to the version and did not before. */
  labels: string[];
  /** Those that were moved away from this version since it got them, and stay where they are. */
  labelsLeft: string[];
  warnings: CommittedVersion["warnings"];
  /** What is in the folder and was not sent. */
  leftBehind: LeftBehind[];
  /** Fields of the manifest that the registry holds differently, and that a push leaves alone. */
  differing: string[];
  /** Of a dry run: what would change in the latest version. */
  diff?: LocalDiff | null;
}

/** What a push works with. */
export interface Pushing {
  client: Client;
  /** The handle of whose token it is. */
  account: () => Promise<string>;
  options: PushOptions;
}

/** Brings the registry to where the folder is: creates, commits, or finds that nothing changed. */
export async function pushPrompt(
  pushing: Pushing,
  local: LocalPrompt,
  { address, remote }: { address: Address; remote: Remote | null },
): Promise<Pushed> {
  const { options } = pushing;
  const isSame = remote?.latest?.contentHash === local.contentHash;
  if (options.dryRun || !isSame || options.label)
    await (await import("./rules.ts")).requireRules(local, options);
  if (remote === null) return create(pushing, local, address);
  if (remote.kind !== local.manifest.kind) {
    throw new InputError(
      `${remote.ref} is of kind ${remote.kind}, and ${local.folder} of kind ${local.manifest.kind}. A kind stays for ever: push it under another name.`,
    );
  }
  return isSame ? keep(pushing, local, remote) : commit(pushing, local, remote);
}

const begin = ({ folder, contentHash, leftBehind }: LocalPrompt) => ({
  folder,
  contentHash,
  leftBehind,
  labelsLeft: [],
  differing: [],
});

async function create(
  { client, account, options: { message, label: labels = [], dryRun } }: Pushing,
  local: LocalPrompt,
  { owner, slug }: Address,
): Promise<Pushed> {
  const handle = await account();
  if (owner !== handle) {
    throw new InputError(
      `${owner}/${slug} does not exist, or ${handle} may not see it. Only ${owner} can create it; this token is ${handle}'s.`,
    );
  }
  const pushed = { ...begin(local), ref: refOf({ owner, slug }), status: "created" as const, labels };
  if (dryRun) return { ...pushed, versionNumber: 1, warnings: local.entry.warnings, diff: null };
  const { prompt: _, $schema: __, ...fields } = local.manifest;
  const body = { ...fields, slug, files: local.files, message };
  const { ref, version } = await client.prompts.create({ body });
  const versionNumber = version?.n ?? 1;
  for (const name of labels) await client.prompts.labels.put({ owner, slug, name, body: { versionNumber } });
  return { ...pushed, ref, versionNumber, warnings: version?.warnings ?? [] };
}

/**
 * A version gets a label once. Who then moved the label away, to roll back for instance, had a reason that a push of
 * the same files, as when CI runs again, must not undo.
 */
async function keep(
  { client, options: { label: wanted = [], dryRun } }: Pushing,
  local: LocalPrompt,
  remote: Remote,
): Promise<Pushed> {
  const versionNumber = remote.latest?.n ?? 1;
  const labels: string[] = [];
  const labelsLeft: string[] = [];
  for (const name of wanted) {
    const from = Object.hasOwn(remote.labels, name) ? (remote.labels[name] ?? null) : null;
    if (from === versionNumber) continue;
    const path = { ...addressOf(remote), name };
    if (await wasAt(client, path, versionNumber)) {
      labelsLeft.push(name);
      continue;
    }
    if (!dryRun)
      await client.prompts.labels.put({ ...path, body: { versionNumber, expectedVersionNumber: from } });
    labels.push(name);
  }
  const differing = differences(local.manifest, remote);
  const pushed = { ...begin(local), ref: remote.ref, status: "unchanged" as const, versionNumber };
  return { ...pushed, labels, labelsLeft, warnings: [], differing };
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
  { client, options: { message, label: labels = [], dryRun } }: Pushing,
  local: LocalPrompt,
  remote: Remote,
): Promise<Pushed> {
  const differing = differences(local.manifest, remote);
  const pushed = { ...begin(local), ref: remote.ref, status: "committed" as const, labels, differing };
  const { items } = await client.prompts.versions.list(addressOf(remote));
  const notes = repetition(items, local);
  if (dryRun) {
    const diff = await compareWithLatest(client, local, remote);
    return { ...pushed, versionNumber: null, warnings: [...notes, ...local.entry.warnings], diff };
  }
  const body = { files: local.files, message, labels, baseVersionNumber: baseOf(items, remote) };
  const version = await client.prompts.versions.create({ ...addressOf(remote), body });
  return { ...pushed, versionNumber: version.n, warnings: [...notes, ...version.warnings] };
}

/** A revert looks like this, but also a push from a checkout that is out of date. */
function repetition(versions: readonly VersionSummary[], local: LocalPrompt): Pushed["warnings"] {
  const same = versions.find(({ contentHash }) => contentHash === local.contentHash);
  if (same === undefined) return [];
  const message = `These are the files of version ${same.n} again. Is this checkout out of date?`;
  return [{ code: "repeated_version", path: "", message }];
}

/** The newest version, yanked ones counted: the one that was read, unless others came in since that can be used. */
function baseOf(versions: readonly VersionSummary[], { latest }: Remote): number | undefined {
  const usable = versions.find(({ yanked }) => yanked === null);
  return usable?.n === latest?.n ? versions[0]?.n : latest?.n;
}

function differences(manifest: Manifest, remote: Remote): string[] {
  const fields = ["title", "summary", "tags", "license", "visibility"] as const;
  const print = (field: (typeof fields)[number], value: unknown) =>
    // The registry writes a license as SPDX does, for whom case does not count.
    field === "license" ? String(value).toLowerCase() : JSON.stringify(value);
  return fields.filter(
    (field) => manifest[field] !== undefined && print(field, manifest[field]) !== print(field, remote[field]),
  );
}
