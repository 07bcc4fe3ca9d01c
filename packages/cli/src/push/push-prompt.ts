import type { Client, CommittedVersion, Prompt } from "@promptreg/client";
import { ApiError } from "@promptreg/core/errors";
import { InputError } from "../errors.ts";
import { getPrompt } from "../get-prompt.ts";
import type { Manifest } from "./manifest.ts";
import type { LocalPrompt } from "./read-prompt.ts";

export interface PushOptions {
  message?: string;
  label?: string[];
  dryRun?: boolean;
}

/** What became of one folder; of a dry run, what would. */
export interface Pushed {
  folder: string;
  ref: string;
  status: "created" | "committed" | "unchanged";
  /** Null where a dry run cannot know it. */
  versionNumber: number | null;
  contentHash: string;
  labels: string[];
  warnings: CommittedVersion["warnings"];
  /** Fields of the manifest that the registry holds differently, and that a push leaves alone. */
  differing: string[];
}

/** Brings the registry to where the folder is: creates, commits, or finds that nothing changed. */
export async function pushPrompt(
  client: Client,
  local: LocalPrompt,
  account: () => Promise<string>,
  options: PushOptions,
): Promise<Pushed> {
  const [slug = "", named] = local.manifest.prompt.split("/").reverse();
  const owner = named ?? (await account());
  const prompt = await getPrompt(client, { owner, slug }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "not_found") return null;
    throw error;
  });
  if (prompt === null) return create(client, local, { owner, slug, account: await account() }, options);
  if (prompt.kind !== local.manifest.kind) {
    throw new InputError(
      `${prompt.ref} is of kind ${prompt.kind}, and ${local.folder} of kind ${local.manifest.kind}. A kind stays for ever: push it under another name.`,
    );
  }
  return prompt.version?.contentHash === local.contentHash
    ? keep(client, local, prompt, options)
    : commit(client, local, prompt, options);
}

async function create(
  client: Client,
  { folder, manifest, files, warnings, contentHash }: LocalPrompt,
  { owner, slug, account }: { owner: string; slug: string; account: string },
  { message, label: labels = [], dryRun }: PushOptions,
): Promise<Pushed> {
  if (owner !== account) {
    throw new InputError(
      `${owner}/${slug} does not exist, or ${account} may not see it. Only ${owner} can create it; this token is ${account}'s.`,
    );
  }
  const pushed = {
    folder,
    ref: `${owner}/${slug}`,
    status: "created" as const,
    contentHash,
    labels,
    differing: [],
  };
  if (dryRun) return { ...pushed, versionNumber: 1, warnings };
  const { prompt: _, ...fields } = manifest;
  const { ref, version } = await client.prompts.create({ body: { ...fields, slug, files, message } });
  const versionNumber = version?.n ?? 1;
  await moveLabels(client, { owner, slug }, versionNumber, labels);
  return { ...pushed, ref, versionNumber, warnings: version?.warnings ?? [] };
}

async function keep(
  client: Client,
  { folder, manifest, contentHash }: LocalPrompt,
  prompt: Prompt,
  { label = [], dryRun }: PushOptions,
): Promise<Pushed> {
  const versionNumber = prompt.version?.n ?? 1;
  const labels = label.filter(
    (name) => !Object.hasOwn(prompt.labels, name) || prompt.labels[name] !== versionNumber,
  );
  if (!dryRun) await moveLabels(client, addressOf(prompt), versionNumber, labels);
  const differing = differences(manifest, prompt);
  return {
    folder,
    ref: prompt.ref,
    status: "unchanged",
    versionNumber,
    contentHash,
    labels,
    warnings: [],
    differing,
  };
}

async function commit(
  client: Client,
  { folder, manifest, files, warnings, contentHash }: LocalPrompt,
  prompt: Prompt,
  { message, label: labels = [], dryRun }: PushOptions,
): Promise<Pushed> {
  const differing = differences(manifest, prompt);
  const pushed = { folder, ref: prompt.ref, status: "committed" as const, contentHash, labels, differing };
  if (dryRun) return { ...pushed, versionNumber: null, warnings };
  const body = { files, message, labels, baseVersionNumber: await baseOf(client, prompt) };
  const version = await client.prompts.versions.create({ ...addressOf(prompt), body });
  return { ...pushed, versionNumber: version.n, warnings: version.warnings };
}

/** The newest version, yanked ones counted: the one that was read, unless others came in since that can be used. */
async function baseOf(client: Client, prompt: Prompt): Promise<number | undefined> {
  const { items } = await client.prompts.versions.list(addressOf(prompt));
  const usable = items.find(({ yanked }) => yanked === null);
  return usable?.n === prompt.version?.n ? items[0]?.n : prompt.version?.n;
}

/** Where the prompt is now, which another name may have led to. */
const addressOf = ({ owner, slug }: Prompt) => ({ owner: owner.handle, slug });

async function moveLabels(
  client: Client,
  address: { owner: string; slug: string },
  versionNumber: number,
  labels: readonly string[],
): Promise<void> {
  for (const name of labels) await client.prompts.labels.put({ ...address, name, body: { versionNumber } });
}

function differences(manifest: Manifest, prompt: Prompt): string[] {
  const fields = ["title", "summary", "tags", "license", "visibility"] as const;
  return fields.filter(
    (field) =>
      manifest[field] !== undefined && JSON.stringify(manifest[field]) !== JSON.stringify(prompt[field]),
  );
}
