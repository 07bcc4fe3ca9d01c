import { type ApiError, apiError } from "@promptreg/core/errors";
import type { Visibility } from "@promptreg/core";
import { cell, type Brush } from "../../terminal/output.ts";
import { editManifest } from "../local/edit-manifest.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import { type About, stateOf } from "../local/state.ts";

/** What a manifest declares of a prompt: what is absent stays as it is. */
export type Declared = { [Field in keyof About]?: About[Field] | undefined };

/** What changes beside the files, by field. */
export type AboutChanges = { [Field in keyof About]?: { from: About[Field]; to: About[Field] } };

/** How a manifest and the registry differ. */
export interface AboutDiff {
  /** What was changed here: a push sends it. */
  ours: AboutChanges;
  /** What was changed in the registry alone: a push leaves it, a pull brings it. */
  theirs: (keyof About)[];
  /** What was changed here and there, and not alike. */
  both: (keyof About)[];
}

export const aboutFields = ["title", "summary", "tags", "license", "visibility", "rating"] as const;

const breadths: Record<Visibility, number> = { private: 0, unlisted: 1, public: 2 };

/** Whether more people can see what has one visibility than what has the other. */
export const isWider = (one: Visibility, other: Visibility): boolean => breadths[one] > breadths[other];

/** What a prompt says of itself, beside its files. */
export const aboutOf = ({ title, summary, tags, license, visibility, rating }: About): About => ({
  title,
  summary,
  tags,
  license,
  visibility,
  rating,
});

/** The registry writes a license as SPDX does, for whom case does not count. */
const print = (field: keyof About, value: unknown) =>
  field === "license" ? String(value).toLowerCase() : JSON.stringify(value);

const isSame = (field: keyof About, one: Declared, other: Declared) =>
  print(field, one[field]) === print(field, other[field]);

/**
 * Compares what is declared with the registry; `known` is what both agreed on last, as far as that is known, and null where
 * what is declared goes in any case. Where nothing tells who narrowed a visibility, it stays: to publish is a decision.
 */
export function compareAbout(declared: Declared, remote: About, known: Partial<About> | null): AboutDiff {
  const diff: AboutDiff = { ours: {}, theirs: [], both: [] };
  for (const field of aboutFields) {
    const { [field]: to = known?.[field] } = declared;
    if (to === undefined || isSame(field, { [field]: to }, remote)) continue;
    const isUnknown = known?.[field] === undefined;
    const isLeft = known !== null && isUnknown && field === "visibility";
    if (isLeft && isWider(to as Visibility, remote.visibility)) diff.theirs.push(field);
    else if (isUnknown || isSame(field, remote, known))
      Object.assign(diff.ours, { [field]: { from: remote[field], to } });
    else diff[isSame(field, { [field]: to }, known) ? "theirs" : "both"].push(field);
  }
  return diff;
}

/** Compares the manifest of a folder with the registry; what was pulled or pushed there last tells who changed what. */
export async function diffAbout(
  { folder, manifest }: Pick<LocalPrompt, "folder" | "manifest">,
  remote: About & { id: string },
  origin: string,
): Promise<AboutDiff> {
  return compareAbout(manifest, remote, await knownOf(folder, remote, origin));
}

/** What a folder and the registry agreed on last, without what nothing tells of. */
export const knownOf = async (
  folder: string,
  remote: { id: string },
  origin: string,
): Promise<Partial<About>> => (await stateOf(folder, origin, remote))?.about ?? {};

/**
 * What a folder and the registry agree on after a push. What only the registry changed, and what the manifest does not
 * speak of, is known here as it was: it is not ours, as long as no pull brings it.
 */
export function agreedAfter(
  { ours, theirs }: AboutDiff,
  { remote, declared, known }: { remote: About; declared: Declared; known: Partial<About> },
): Partial<About> {
  const silent = aboutFields.filter((field) => declared[field] === undefined && known[field] !== undefined);
  const left = [...theirs, ...silent].map((field) => [field, known[field]]);
  return { ...remote, ...valuesOf(ours), ...Object.fromEntries(left) };
}

/** The changes of the registry that a push leaves: from what is there to what the manifest says, or what was known. */
export const leftOf = (
  { theirs }: AboutDiff,
  { remote, declared, known }: { remote: About; declared: Declared; known: Partial<About> },
): AboutChanges =>
  Object.fromEntries(
    theirs.map((field) => [field, { from: remote[field], to: declared[field] ?? known[field] }]),
  );

/** What a pull does with the fields of a manifest. */
export interface Brought {
  /** Those that take the registry's value. */
  fields: string[];
  /** Those that changed on both sides, and stay as they are here. */
  kept: string[];
}

/**
 * Brings into a folder's manifest what the registry says of the prompt. What was changed here stays; so does the silence of
 * a manifest on what nobody changed. It is asked before the pull is noted, which changes what is known.
 */
export async function bringAbout(
  { folder, manifest }: Pick<LocalPrompt, "folder" | "manifest">,
  remote: About & { id: string; ref: string; slug: string },
  { origin, overwrite = false }: { origin: string; overwrite?: boolean },
): Promise<Brought> {
  const known = overwrite ? {} : await knownOf(folder, remote, origin);
  const { ours, both } = compareAbout(manifest, remote, known);
  const isKept = (field: keyof About) =>
    known[field] !== undefined && (field in ours || both.includes(field));
  const fields = aboutFields.filter((field) => {
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
export const aboutConflict = (ref: string, fields: readonly string[]): ApiError =>
  apiError("version_conflict", {
    message: `The ${fields.join(", ")} of ${ref} changed here and in the registry. \`promptreg pull\` shows theirs; --onto latest takes what the manifest says.`,
  });

/** The new values of changes. */
export const valuesOf = (changes: AboutChanges): Partial<About> =>
  Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));

/** A line for each change. */
export const printAbout = (changes: AboutChanges, { colors: { bold } }: Brush): string =>
  Object.entries(changes)
    .map(([field, { from, to }]) => `${bold(`${field}:`)} ${valueText(from)} → ${valueText(to)}`)
    .join("\n");

function valueText(value: string | readonly string[] | null): string {
  const text = typeof value === "string" ? value : (value ?? []).join(", ");
  return cell(text) || "none";
}
