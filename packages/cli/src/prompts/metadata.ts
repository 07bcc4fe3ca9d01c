import { cell } from "../terminal/text.ts";
import type { Brush } from "../terminal/brush.ts";
import type { Prompt, Visibility } from "@promptreg/client";

/** What a prompt says of itself, beside its files. */
export type About = Pick<Prompt, "title" | "summary" | "tags" | "license" | "visibility" | "rating">;

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

/** Whether a field says the same on both sides. */
export const isSame = (field: keyof About, one: Declared, other: Declared) =>
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
