import { join } from "node:path";
import { type CheckedFile, checkFiles, type FileInput } from "@promptreg/core/content";
import { apiError } from "@promptreg/core/errors";
import { InputError } from "../../errors.ts";
import { marksOf } from "../local/marks.ts";
import { mergeText } from "./merge-text.ts";

/** A file that both sides changed, and what stands there now. */
export interface Conflict {
  path: string;
  reason: string;
}

/** The files of a prompt on both sides, and in the version that both came from. */
export interface Sides {
  base: readonly CheckedFile[];
  ours: readonly CheckedFile[];
  theirs: readonly CheckedFile[];
}

/** The three of a path; what is not there was added or deleted. */
type Three = { [Side in keyof Sides]: CheckedFile | undefined };
/** A file as it comes out of a merge; none where it is gone. */
type Merged = { file: FileInput | undefined; reason?: string };

/**
 * Merges the files of a folder with those of a version, `ref`.
 * @throws {InputError} where the outcome breaks the rules of a version, such as a file where the other side has a folder.
 */
export async function mergeFiles(
  sides: Sides,
  ref: string,
): Promise<{ files: CheckedFile[]; conflicts: Conflict[] }> {
  const [base, ours, theirs] = [byPath(sides.base), byPath(sides.ours), byPath(sides.theirs)];
  const merged: FileInput[] = [];
  const conflicts: Conflict[] = [];
  for (const path of [...new Set([...ours.keys(), ...theirs.keys()])].sort()) {
    const three = { base: base.get(path), ours: ours.get(path), theirs: theirs.get(path) };
    const { file, reason } = mergeFile(three, ref);
    if (file !== undefined) merged.push(file);
    if (reason !== undefined) conflicts.push({ path, reason });
  }
  const { files, problems } = await checkFiles(merged);
  if (problems.length === 0) return { files, conflicts };
  const details = problems.map(({ message }) => ({ path: "", message }));
  throw new InputError(`${ref} cannot be merged with the local files. --overwrite replaces them.`, details);
}

const byPath = (files: readonly CheckedFile[]) => new Map(files.map((file) => [file.path, file]));

/** Whoever changed a file goes before who deleted it, as in git: nothing is lost that way. */
function mergeFile({ base, ours, theirs }: Three, ref: string): Merged {
  if (isSame(ours, base)) return { file: theirs && inputOf(theirs) };
  if (isSame(theirs, base) || isSame(ours, theirs)) return { file: ours && inputOf(ours) };
  if (theirs === undefined)
    return { file: ours && inputOf(ours), reason: "was deleted there and changed here: it stays" };
  if (ours === undefined)
    return { file: inputOf(theirs), reason: "was deleted here and changed there: it was restored" };
  return mergeContent({ base, ours, theirs }, ref);
}

function mergeContent(
  { base, ours, theirs }: { base: CheckedFile | undefined; ours: CheckedFile; theirs: CheckedFile },
  ref: string,
): Merged {
  const mode = base?.mode === ours.mode ? theirs.mode : ours.mode;
  const modeReason =
    base === undefined && ours.mode !== theirs.mode
      ? { reason: "is executable on one side: the local mode stays" }
      : {};
  if (ours.sha256 === theirs.sha256 || theirs.sha256 === base?.sha256)
    return { file: { ...inputOf(ours), mode }, ...modeReason };
  if (ours.sha256 === base?.sha256) return { file: { ...inputOf(theirs), mode } };
  if ([base, ours, theirs].some((file) => file && file.encoding !== "utf8"))
    return {
      file: { ...inputOf(ours), mode },
      reason: "is binary and changed on both sides: the local file stays",
    };
  const texts = { base: base ? textOf(base) : "", ours: textOf(ours), theirs: textOf(theirs) };
  const { text, hasConflicts } = mergeText(texts, marksOf(ref));
  const file = { path: ours.path, content: text, mode };
  return hasConflicts ? { file, reason: "has conflict markers" } : { file, ...modeReason };
}

const isSame = (one: CheckedFile | undefined, other: CheckedFile | undefined) =>
  one?.sha256 === other?.sha256 && one?.mode === other?.mode;

// A byte order mark is part of the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const textOf = ({ bytes }: CheckedFile) => decoder.decode(bytes);

export function inputOf(file: CheckedFile): FileInput {
  const { path, mode, encoding, bytes } = file;
  const content = encoding === "utf8" ? textOf(file) : Buffer.from(bytes).toString("base64");
  return { path, mode, encoding, content };
}

/**
 * Both sides are there, and somebody has to choose: that is no success.
 * @throws {ApiError} `version_conflict`, with each file; `next` says what to do.
 */
export function refuseConflicts(
  merged: readonly { folder: string; conflicts: readonly Conflict[] }[],
  next: string,
): void {
  const conflicted = merged.filter(({ conflicts }) => conflicts.length > 0);
  if (conflicted.length === 0) return;
  const details = conflicted.flatMap(({ folder, conflicts }) =>
    conflicts.map(({ path, reason }) => ({
      path: join(folder, path),
      code: "version_conflict",
      message: reason,
    })),
  );
  throw apiError("version_conflict", {
    message: `${conflicted.map(({ folder }) => folder).join(", ")}: the same lines changed on both sides. ${next}`,
    details,
  });
}
