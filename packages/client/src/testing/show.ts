import type { Prompt, PromptSummary, UserRef, Version, VersionSummary } from "@promptreg/core";
import {
  type Account,
  type Caller,
  latestOf,
  publicUrl,
  type StoredPrompt,
  type StoredVersion,
} from "./world.ts";

export const userRef = ({ id, handle }: Account): UserRef => ({
  id,
  handle,
  name: null,
  avatarUrl: null,
  url: `${publicUrl}/${handle}`,
});

export const refOf = ({ owner, slug }: StoredPrompt): string => `${owner.handle}/${slug}`;

/** The URL of a prompt's page, or of a version. */
export const urlOf = (prompt: StoredPrompt, n?: number): string =>
  `${publicUrl}/${refOf(prompt)}${n === undefined ? "" : `@${n}`}`;

/** A prompt as responses show it, without the requested version. */
export function showPrompt(
  prompt: StoredPrompt,
  caller: Caller | null,
): Omit<Prompt, "version" | "resolvedBy"> {
  const { id, slug, kind, title, summary, tags, license, visibility, rating, createdAt, updatedAt } = prompt;
  const isOwner = caller?.id === prompt.owner.id;
  const labels = [...prompt.labels.values()].map(({ name, versionNumber }) => [name, versionNumber]);
  return {
    id,
    ref: refOf(prompt),
    url: urlOf(prompt),
    owner: userRef(prompt.owner),
    slug,
    kind,
    title,
    summary,
    tags,
    license,
    visibility,
    rating,
    status: "published",
    latestVersion: latestOf(prompt)?.version.n ?? null,
    labels: Object.fromEntries(labels),
    forkedFrom: null,
    counts: {
      stars: 0,
      forks: 0,
      watchers: 0,
      makes: 0,
      examples: 0,
      comments: 0,
      downloads: 0,
      installs: 0,
      openChangeRequests: 0,
    },
    createdAt,
    updatedAt,
    publishedAt: createdAt,
    ...(caller && {
      viewer: {
        isOwner,
        starred: false,
        watchLevel: isOwner ? "all" : null,
        canEdit: isOwner,
        canFork: latestOf(prompt) !== undefined,
      },
    }),
  };
}

/** A prompt as lists show it. */
export function showListed(prompt: StoredPrompt, caller: Caller | null): PromptSummary {
  const latest = latestOf(prompt)?.version;
  return {
    ...showPrompt(prompt, caller),
    latest: latest === undefined ? null : { n: latest.n, contentHash: latest.contentHash },
  };
}

/** Whether searches find a prompt, whoever asks. */
export const isListed = ({ visibility, isDeleted, rating }: StoredPrompt): boolean =>
  visibility === "public" && !isDeleted && rating !== "mature";

/** A version, with or without the contents of its files. */
export const showVersion = ({ version }: StoredVersion, files: "full" | "meta"): Version =>
  files === "full" ? version : { ...version, files: version.files.map(({ content: _, ...file }) => file) };

/** A version as lists show it. */
export function showSummary(prompt: StoredPrompt, { version, yanked }: StoredVersion): VersionSummary {
  const { files: _, ...rest } = version;
  const at = [...prompt.labels.values()].filter(({ versionNumber }) => versionNumber === version.n);
  return { ...rest, yanked, labels: at.map(({ name }) => name).sort() };
}
