import { type ApiError, apiError } from "@promptreg/core/errors";
import {
  type Metadata,
  type MetadataChanges,
  type MetadataDiff,
  metadataFields,
  compareMetadata,
  type Declared,
  isSame,
  valuesOf,
} from "../../prompts/index.ts";
import { editManifest } from "../local/edit-manifest.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import { stateOf } from "../local/state.ts";
import type { StatePlace } from "../local/state-file.ts";

/** Compares the manifest of a folder with the registry; what was pulled or pushed there last tells who changed what. */
export async function diffMetadata(
  local: Pick<LocalPrompt, keyof StatePlace | "manifest">,
  remote: Metadata & { id: string },
  origin: string,
): Promise<MetadataDiff> {
  return compareMetadata(local.manifest, remote, await lastAgreedMetadata(local, remote, origin));
}

/** What a folder and the registry agreed on last, without what nothing tells of. */
export const lastAgreedMetadata = async (
  place: StatePlace,
  remote: { id: string },
  origin: string,
): Promise<Partial<Metadata>> => (await stateOf(place, origin, remote))?.about ?? {};

/**
 * What a folder and the registry agree on after a push. What only the registry changed, and what the manifest does not
 * speak of, is known here as it was: it is not ours, as long as no pull brings it.
 */
export function agreedAfterPush(
  { ours, theirs }: MetadataDiff,
  { remote, declared, known }: { remote: Metadata; declared: Declared; known: Partial<Metadata> },
): Partial<Metadata> {
  const silent = metadataFields.filter(
    (field) => declared[field] === undefined && known[field] !== undefined,
  );
  const left = [...theirs, ...silent].map((field) => [field, known[field]]);
  return { ...remote, ...valuesOf(ours), ...Object.fromEntries(left) };
}

/** The changes of the registry that a push leaves: from what is there to what the manifest says, or what was known. */
export const changesLeft = (
  { theirs }: MetadataDiff,
  { remote, declared, known }: { remote: Metadata; declared: Declared; known: Partial<Metadata> },
): MetadataChanges =>
  Object.fromEntries(
    theirs.map((field) => [field, { from: remote[field], to: declared[field] ?? known[field] }]),
  );

/** What a pull does with the fields of a manifest. */
export interface PulledMetadata {
  /** Those that take the registry's value. */
  fields: string[];
  /** Those that changed on both sides, and stay as they are here. */
  kept: string[];
}

/**
 * Brings into a folder's manifest what the registry says of the prompt. What was changed here stays; so does the silence of
 * a manifest on what nobody changed. It is asked before the pull is noted, which changes what is known.
 */
export async function pullMetadata(
  local: Pick<LocalPrompt, keyof StatePlace | "manifest">,
  remote: Metadata & { id: string; ref: string; slug: string },
  { origin, overwrite = false }: { origin: string; overwrite?: boolean },
): Promise<PulledMetadata> {
  const { folder, manifest } = local;
  const known = overwrite ? {} : await lastAgreedMetadata(local, remote, origin);
  const { ours, both } = compareMetadata(manifest, remote, known);
  const isKept = (field: keyof Metadata) =>
    known[field] !== undefined && (field in ours || both.includes(field));
  const fields = metadataFields.filter((field) => {
    if (isKept(field) || isSame(field, manifest, remote)) return false;
    return manifest[field] !== undefined || (known[field] !== undefined && !isSame(field, known, remote));
  });
  const isRenamed = manifest.prompt !== remote.ref && manifest.prompt !== remote.slug;
  await editManifest(folder, {
    ...(isRenamed && { prompt: remote.ref }),
    ...Object.fromEntries(fields.map((field) => [field, remote[field]])),
  });
  return { fields: [...(isRenamed ? ["prompt"] : []), ...fields], kept: both };
}

/** The refusal of a push that would undo what somebody else changed. */
export const metadataConflict = (ref: string, fields: readonly string[]): ApiError =>
  apiError("version_conflict", {
    message: `The ${fields.join(", ")} of ${ref} changed here and in the registry. \`promptreg pull\` shows both. --onto latest takes the values of the manifest.`,
  });
