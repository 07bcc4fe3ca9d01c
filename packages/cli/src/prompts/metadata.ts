import { cell } from "../terminal/text.ts";
import type { Style } from "../terminal/style.ts";
import type { Prompt, Visibility } from "@promptreg/client";

/** What a prompt says of itself, beside its files. */
export type Metadata = Pick<Prompt, "title" | "summary" | "tags" | "license" | "visibility" | "rating">;

/** What a manifest declares of a prompt: what is absent stays as it is. */
export type Declared = { [Field in keyof Metadata]?: Metadata[Field] | undefined };

/** What changes beside the files, by field. */
export type MetadataChanges = { [Field in keyof Metadata]?: { from: Metadata[Field]; to: Metadata[Field] } };

/** How a manifest and the registry differ. */
export interface MetadataDiff {
  /** What was changed here: a push sends it. */
  ours: MetadataChanges;
  /** What was changed in the registry alone: a push leaves it, a pull brings it. */
  theirs: (keyof Metadata)[];
  /** What was changed here and there, and not alike. */
  both: (keyof Metadata)[];
}

export const metadataFields = ["title", "summary", "tags", "license", "visibility", "rating"] as const;

const breadths: Record<Visibility, number> = { private: 0, unlisted: 1, public: 2 };

/** Whether more people can see what has one visibility than what has the other. */
export const isWider = (one: Visibility, other: Visibility): boolean => breadths[one] > breadths[other];

/** What a prompt says of itself, beside its files. */
export const metadataOf = ({ title, summary, tags, license, visibility, rating }: Metadata): Metadata => ({
  title,
  summary,
  tags,
  license,
  visibility,
  rating,
});

/** The registry writes a license as SPDX does, for whom case does not count. */
const print = (field: keyof Metadata, value: unknown) =>
  field === "license" ? String(value).toLowerCase() : JSON.stringify(value);

/** Whether a field says the same on both sides. */
export const isSame = (field: keyof Metadata, one: Declared, other: Declared) =>
  print(field, one[field]) === print(field, other[field]);

/**
 * Compares what is declared with the registry; `known` is what both agreed on last, as far as that is known, and null where
 * what is declared goes in any case. Where nothing tells who narrowed a visibility, it stays: to publish is a decision.
 */
export function compareMetadata(
  declared: Declared,
  remote: Metadata,
  known: Partial<Metadata> | null,
): MetadataDiff {
  const diff: MetadataDiff = { ours: {}, theirs: [], both: [] };
  for (const field of metadataFields) {
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

/** The new values of changes. */
export const valuesOf = (changes: MetadataChanges): Partial<Metadata> =>
  Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));

/** A line for each change. */
export const printMetadataChanges = (changes: MetadataChanges, { colors: { bold } }: Style): string =>
  Object.entries(changes)
    .map(([field, { from, to }]) => `${bold(`${field}:`)} ${valueText(from)} → ${valueText(to)}`)
    .join("\n");

function valueText(value: string | readonly string[] | null): string {
  const text = typeof value === "string" ? value : (value ?? []).join(", ");
  return cell(text) || "none";
}
