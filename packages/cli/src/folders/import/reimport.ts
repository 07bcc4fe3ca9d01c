import { type CheckedFile, contentHash } from "@promptreg/core/content";
import { updateFiles } from "../../disk/update-files.ts";
import { InputError } from "../../errors.ts";
import { editManifest } from "../local/edit-manifest.ts";
import { markedFiles } from "../local/marks.ts";
import { type LocalPrompt, readPrompt } from "../local/read-prompt.ts";
import { type Conflict, mergeFiles } from "../pull/merge-files.ts";
import { type About, noteBase, readBase } from "./base.ts";

/** What becomes of a prompt that an earlier import wrote. */
export interface Reimport {
  /**
   * `kept`: it was changed here alone. `outdated`: it was changed in the source alone. `changed`: on both sides, or nobody knows where. With
   * `--update` the second is `updated`, and the third is `merged` if it is known what the last import brought.
   */
  status: "unchanged" | "kept" | "outdated" | "changed" | "updated" | "merged";
  /** What will be in the folder. */
  files: readonly CheckedFile[];
  conflicts: readonly Conflict[];
  /** It could not be merged. */
  isTried: boolean;
  /** Null if the folder is no prompt any more. */
  local: LocalPrompt | null;
  /** Of the manifest, what changed in the source and not here. */
  fields: Partial<About>;
}

export interface ReimportOptions {
  update: boolean;
  /** Takes the source's text also where it could be merged. */
  overwrite: boolean;
}

/** Compares the folder of a prompt with what its source has now, and with what it had at the last import. */
export async function planReimport(
  folder: string,
  { files, about }: { files: readonly CheckedFile[]; about: About },
  { update, overwrite }: ReimportOptions,
): Promise<Reimport> {
  const local = await readPrompt(folder).catch((error: unknown) => {
    if (error instanceof InputError) return null;
    throw error;
  });
  const as = (status: Reimport["status"], others: Partial<Reimport> = {}): Reimport => ({
    status,
    files: local?.checked ?? [],
    conflicts: [],
    isTried: update,
    local,
    fields: {},
    ...others,
  });
  if (local === null) return as("changed");
  const { fromHash } = local.manifest;
  const now = await contentHash(files);
  if (local.contentHash === now) return as("unchanged");
  if (now === fromHash && !overwrite) return as("kept");
  const isUntouched = local.contentHash === fromHash;
  if (!update) return as(isUntouched ? "outdated" : "changed");
  const base = await readBase(local, fromHash);
  const fields = base === null ? {} : changedFields(local.manifest, base.about, about);
  if (isUntouched || overwrite) return as("updated", { files, fields });
  if (base === null) return as("changed");
  if (markedFiles(local.checked).length > 0)
    throw new InputError(`${folder} has unresolved conflicts of a merge. Edit it first.`);
  const sides = { base: base.files, ours: local.checked, theirs: files };
  return as("merged", { ...(await mergeFiles(sides, "source")), fields });
}

/** What the source changed of what nobody changed here. What it never said, such as the visibility, is not its own. */
const changedFields = (here: Partial<About>, base: Partial<About>, there: About): Partial<About> =>
  Object.fromEntries(
    (["title", "summary", "tags", "license"] as const)
      .filter((field) => isSame(here[field], base[field]) && !isSame(base[field], there[field]))
      .map((field) => [field, there[field]]),
  );

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Writes what an import brings to a folder that it knows, and notes what it was. */
export async function writeReimport(
  folder: string,
  { files, local, fields }: Pick<Reimport, "files" | "local" | "fields">,
  from: { files: readonly CheckedFile[]; about: About },
): Promise<void> {
  await updateFiles(folder, files, local?.checked ?? []);
  await editManifest(folder, { ...fields, fromHash: await contentHash(from.files) });
  await noteBase(folder, from);
}
