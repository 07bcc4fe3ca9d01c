import type { Client, CommittedVersion } from "@promptreg/client";
import { ApiError } from "@promptreg/core/errors";
import { InputError } from "../errors.ts";
import { addressOf } from "../get-prompt.ts";
import { baseToName, type Onto } from "./base.ts";
import { compareWithLatest, type LocalDiff } from "./compare.ts";
import type { Manifest } from "./manifest.ts";
import type { LocalPrompt } from "./read-prompt.ts";
import { type Address, type Remote, refOf } from "./remote.ts";
import { type About, writeState } from "./state.ts";

export interface PushOptions {
  message?: string;
  label?: string[];
  dryRun?: boolean;
  onto?: Onto;
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
  /** The registry's, by which folders keep their states. */
  origin: string;
  options: PushOptions;
}

/** Brings the registry to where the folder is: creates, commits, or finds that nothing changed. */
export async function pushPrompt(
  pushing: Pushing,
  local: LocalPrompt,
  { address, remote }: { address: Address; remote: Remote | null },
): Promise<Pushed> {
  if (remote === null) return create(pushing, local, address);
  if (remote.kind !== local.manifest.kind) {
    throw new InputError(
      `${remote.ref} is of kind ${remote.kind}, and ${local.folder} of kind ${local.manifest.kind}. A kind stays for ever: push it under another name.`,
    );
  }
  const isSame = remote.latest?.contentHash === local.contentHash;
  return isSame ? keep(pushing, local, remote) : commit(pushing, local, remote);
}

const begin = ({ folder, contentHash }: LocalPrompt) => ({
  folder,
  contentHash,
  labelsLeft: [],
  differing: [],
});

async function create(
  { client, account, origin, options: { message, label: labels = [], dryRun } }: Pushing,
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
  const { prompt: _, ...fields } = local.manifest;
  const body = { ...fields, slug, files: local.files, message };
  const { ref, version, ...prompt } = await client.prompts.create({ body });
  const versionNumber = version?.n ?? 1;
  await note(local, origin, { ...prompt, ref }, versionNumber);
  for (const name of labels) await client.prompts.labels.put({ owner, slug, name, body: { versionNumber } });
  return { ...pushed, ref, versionNumber, warnings: version?.warnings ?? [] };
}

/**
 * A version gets a label once. Who then moved the label away, to roll back for instance, had a reason that a push of
 * the same files, as when CI runs again, must not undo.
 */
async function keep(
  { client, origin, options: { label: wanted = [], dryRun } }: Pushing,
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
  if (!dryRun) await note(local, origin, remote, versionNumber);
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
  { client, origin, options: { message, label: labels = [], dryRun, onto } }: Pushing,
  local: LocalPrompt,
  remote: Remote,
): Promise<Pushed> {
  const differing = differences(local.manifest, remote);
  const pushed = { ...begin(local), ref: remote.ref, status: "committed" as const, labels, differing };
  const baseVersionNumber = await baseToName(client, local, remote, { origin, onto });
  if (dryRun) {
    const diff = await compareWithLatest(client, local, remote);
    return { ...pushed, versionNumber: null, warnings: local.entry.warnings, diff };
  }
  const body = { files: local.files, message, labels, baseVersionNumber };
  const version = await client.prompts.versions.create({ ...addressOf(remote), body });
  await note(local, origin, remote, version.n);
  return { ...pushed, versionNumber: version.n, warnings: version.warnings };
}

/** Without it the folder works as before. */
async function note(
  { folder }: LocalPrompt,
  origin: string,
  { id, ref, title, summary, tags, license, visibility, rating }: About & { id: string; ref: string },
  version: number,
): Promise<void> {
  const about = { title, summary, tags, license, visibility, rating };
  await writeState(folder, origin, { id, ref, version, about }).catch(() => {});
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
