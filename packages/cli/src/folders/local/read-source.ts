import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import type { FileInput } from "@promptreg/core/content";
import type { Detection } from "@promptreg/core/imports";
import { InputError } from "../../errors.ts";
import { pathFromTo } from "../../disk/places.ts";
import { readFileAt } from "../../disk/read-file.ts";
import { rootOf } from "../../disk/work-tree.ts";
import type { Manifest } from "./manifest.ts";
import type { Selection } from "./selection.ts";

/** The largest text that a detector reads. */
const maxMebibytes = 1;

/**
 * Reads the entry file of a prompt that lies elsewhere, in the form of another tool: `source` of its manifest.
 * @throws {InputError} if it is not in the same project, is ignored by git, or is no such prompt.
 */
export async function readSource(
  folder: string,
  { source: named = "", kind }: Manifest,
  selection: Selection,
): Promise<FileInput> {
  const file = resolve(folder, named);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
    throw new InputError(
      `${file} does not exist, and the manifest of ${folder} names it as its source. Change the manifest if the file was moved.`,
    );
  const root = projectOf(folder, file);
  const why = (await selection.in(dirname(file)))(basename(file), false);
  if (why !== null) throw new InputError(`${file} is ${why}, so it is not sent.`);
  const { bytes } = readFileAt(file, maxMebibytes);
  // The name of the project's folder too: of `prompts/a.md` the folder says what it is.
  const path = pathFromTo(dirname(root), file);
  const { detect } = await import("../import/detect.ts");
  const files = [{ path, size: bytes.length, mode: "100644" as const }];
  const found: Detection[] = [];
  const source = { files, read: async () => bytes, stream: () => Readable.from([bytes]) };
  for await (const one of detect(source)) found.push(one);
  const [one] = found;
  if (one === undefined || found.length > 1)
    throw new InputError(
      `${file} is not one prompt that is recognised. The manifest of ${folder} names it as its source.`,
    );
  if ("refused" in one)
    throw new InputError(`${file} was refused (${one.refused.format}): ${one.refused.reason}`);
  if (one.prompt.kind !== kind)
    throw new InputError(
      `${file} is a prompt of kind ${one.prompt.kind}, and the manifest of ${folder} says ${kind}.`,
    );
  const [entry] = one.prompt.files;
  return { path: entry!.path, content: String(entry!.content) };
}

/**
 * The folder that holds both. A manifest comes with a checkout, so it must not name what lies elsewhere on this machine.
 * @throws {InputError} if that is no project: other people's files, or all files of a user.
 */
function projectOf(folder: string, file: string): string {
  const outside = (why: string) =>
    new InputError(`The manifest of ${folder} names a source outside of its project: ${why}.`);
  const place = join(realpathSync(dirname(file)), basename(file));
  const own = realpathSync(folder);
  const [tree, other] = [rootOf(own), rootOf(dirname(place))];
  if (other !== tree)
    throw outside(
      `${file} is ${tree === null ? `in the git repository ${other}` : `not in the git repository ${tree}`}`,
    );
  // People keep their settings in a repository that is all of their home folder.
  if (tree !== null && !isIn(tree, homedir())) return tree;
  let common = own;
  while (!isIn(common, place)) common = dirname(common);
  if (isIn(common, homedir())) throw outside(`${file} and the folder have only ${common} in common`);
  return common;
}

const isIn = (folder: string, place: string) =>
  place === folder || place.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
