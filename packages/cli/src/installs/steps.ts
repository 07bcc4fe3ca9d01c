import { lstatSync } from "node:fs";
import { FormatError, putSection, readSection, removeSection, SectionError } from "@promptreg/core/formats";
import { readFileAt } from "../disk/read-file.ts";
import { placeIn } from "../disk/places.ts";
import type { SeenFile } from "../disk/update-files.ts";
import { InputError } from "../errors.ts";
import { unreadable } from "../terminal/read-input.ts";
import { type Content, sha256Of } from "./write.ts";

/** A file, or a section of one, that is to be written or removed. */
export interface Piece {
  path: string;
  /** The prompt whose section it is; undefined for a whole file. */
  section: string | undefined;
  /** The digest of what was installed there; undefined where nothing was. */
  known: string | undefined;
  /** Null where it goes. */
  content: Content | null;
}

/**
 * What a file is before it is written or removed. `old`: as it was installed. `changed`: it was installed, and edited
 * since. `foreign`: something else, that nobody installed.
 */
export type FileStatus = "new" | "same" | "old" | "changed" | "foreign";

/** What becomes of one file. */
export interface Step {
  path: string;
  status: FileStatus;
  /** What is there now. */
  seen: SeenFile | null;
  /** What will be there; null where it goes. */
  content: Content | null;
  /** The prompt whose section is lost; the rest of the file stays. */
  section?: string | undefined;
}

/** Whether something is lost that somebody wrote here. */
export const isLoss = ({ status }: Step): boolean => status === "changed" || status === "foreign";

/** Compares a file with what is to stand there; undefined where nothing is to be done. */
export function stepFor(root: string, path: string, pieces: readonly Piece[]): Step | undefined {
  const there = readThere(root, path);
  const whole = pieces.find(({ section }) => section === undefined);
  if (whole === undefined) return sectionsStep(path, there, pieces);
  const { content } = whole;
  if (there === null) return content === null ? undefined : { path, status: "new", seen: null, content };
  const status = statusOf(there.bytes, whole);
  // Windows has no such bits.
  const isOtherMode = process.platform !== "win32" && content !== null && content.mode !== there.mode;
  return { path, status: status === "same" && isOtherMode ? "old" : status, seen: there, content };
}

/** All that stands between the sections of a shared file stays. */
function sectionsStep(path: string, there: There | null, pieces: readonly Piece[]): Step | undefined {
  const before = there === null ? "" : textOf(path, there.bytes);
  const { text, lost } = withSections(path, before, pieces);
  if (text === before) return there ? { path, status: "same", seen: there, content: there } : undefined;
  const bytes = Buffer.from(text);
  const content = { bytes, mode: there?.mode ?? "100644", sha256: sha256Of(bytes) } as const;
  return {
    path,
    status: lost?.status ?? (there === null ? "new" : "old"),
    section: lost?.section,
    seen: there,
    // A file of nothing but sections goes with the last of them.
    content: text.trim() === "" ? null : content,
  };
}

function withSections(path: string, before: string, pieces: readonly Piece[]) {
  let text = before;
  let lost: Pick<Step, "status" | "section"> | undefined;
  try {
    for (const { section = "", content, known } of pieces) {
      const now = readSection(text, section);
      const status = now === undefined ? "new" : statusOf(Buffer.from(now), { known, content });
      if (status === "changed" || status === "foreign") lost = { status, section };
      text = content
        ? putSection(text, section, Buffer.from(content.bytes).toString())
        : removeSection(text, section);
    }
  } catch (error) {
    if (error instanceof SectionError || error instanceof FormatError)
      throw new InputError(`${path}: ${error.message}`);
    throw error;
  }
  return { text, lost };
}

/** On Windows git may have written other ends of lines. */
function statusOf(bytes: Uint8Array, { known, content }: Pick<Piece, "known" | "content">): FileStatus {
  const text = Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n");
  const digests = [sha256Of(bytes), sha256Of(Buffer.from(text, "latin1"))];
  if (content !== null && digests.includes(content.sha256)) return "same";
  if (known === undefined) return "foreign";
  return digests.includes(known) ? "old" : "changed";
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw unreadable(path, error);
  }
}

interface There extends SeenFile, Content {}

/** Far more than any file of a tool. */
const maxMebibytes = 16;

/**
 * Reads the file at a path; null where there is none.
 * @throws {InputError} where no file can be: links are not followed, since they may lead out of the project.
 */
function readThere(root: string, path: string): There | null {
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    const folder = path.slice(0, end);
    const stat = lstatSync(placeIn(root, folder), { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (stat.isSymbolicLink())
      throw new InputError(
        `${folder} is a symbolic link. Nothing is written through it. Replace it with a folder.`,
      );
    if (!stat.isDirectory()) throw new InputError(`${folder} is a file, and ${path} needs a folder there.`);
  }
  const place = placeIn(root, path);
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isDirectory()) throw new InputError(`${path} is a folder, and a file is needed there.`);
  const { bytes, mode } = readFileAt(place, maxMebibytes);
  return { path, bytes, mode: (mode & 0o100) === 0 ? "100644" : "100755", sha256: sha256Of(bytes) };
}
