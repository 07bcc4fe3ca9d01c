import { InputError } from "../errors.ts";
import { checkPaths, type Install, pathsOf } from "./record.ts";
import { type Piece, type Step, stepFor } from "./steps.ts";
import type { Content, Written } from "./write.ts";

/** An install with what is to be written for it; without that, its files stay as they are. */
export interface Wanted extends Install {
  written?: Written;
}

/**
 * Says what has to be done in a folder to come from some installs to others. Nothing is written.
 * @throws {InputError} if two installs want different content in one place, or something that is no file stands there.
 */
export function planSteps(root: string, before: readonly Install[], after: readonly Wanted[]): Step[] {
  checkPaths(after.flatMap(pathsOf), "What is installed");
  refuseClashes(after);
  const known = before.flatMap(partsOf);
  const wanted = after.flatMap(partsOf);
  const kept = new Set(wanted.map(({ key }) => key));
  const digests = new Map(known.map(({ key, sha256 }) => [key, sha256]));
  const pieces = new Map<string, Piece>();
  for (const { key, sha256, ...part } of known)
    if (!kept.has(key)) pieces.set(key, { ...part, known: sha256, content: null });
  for (const { key, sha256: _, content, ...part } of wanted)
    if (content !== undefined) pieces.set(key, { ...part, known: digests.get(key), content });
  const byPath = Map.groupBy(pieces.values(), ({ path }) => path);
  const paths = [...byPath.keys()].sort();
  return paths.flatMap((path) => stepFor(root, path, byPath.get(path) ?? []) ?? []);
}

/** A file of an install, or a section of a file. */
interface Part {
  /** Two installs with the same key mean the same file, or section. */
  key: string;
  path: string;
  /** The prompt whose section it is; undefined for a whole file. */
  section: string | undefined;
  sha256: string;
  content: Content | undefined;
}

/** What an install consists of. */
export function partsOf({ ref, files, sections, written }: Wanted): Part[] {
  const list = (digests: Install["files"], section: string | undefined, contents?: Map<string, Content>) =>
    Object.entries(digests).map(([path, sha256]) => ({
      key: `${path}\n${section ?? ""}`,
      path,
      section,
      sha256,
      content: contents?.get(path),
    }));
  return [...list(files, undefined, written?.files), ...list(sections, ref, written?.sections)];
}

/** Two may want the same content in one place, such as two tools that look in one folder. */
function refuseClashes(installs: readonly Install[]): void {
  const first = new Map<string, { install: Install; part: Part }>();
  for (const install of installs) {
    for (const part of partsOf(install)) {
      // Whoever has a section of a file is one of several; a whole file has one content.
      const other = first.get(part.key) ?? first.get(part.path);
      const isSame = other?.part.key === part.key && other.part.sha256 === part.sha256;
      const areSections = other?.part.section !== undefined && part.section !== undefined;
      if (other && !isSame && !(areSections && other.part.key !== part.key))
        throw new InputError(
          `${nameOf(other.install)} and ${nameOf(install)} both want ${part.path}, with different content. Nothing was written. Uninstall one of them first.`,
        );
      first.set(part.key, { install, part }).set(part.path, { install, part });
    }
  }
}

/** `owner/slug@3 for cursor`. */
export const nameOf = ({ ref, version, target }: Install): string => `${ref}@${version} for ${target}`;
