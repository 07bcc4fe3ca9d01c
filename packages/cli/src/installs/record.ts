import { pathProblems } from "@promptreg/core/content";
import { parseRef } from "@promptreg/core/refs";
import { lstat, rm } from "node:fs/promises";
import { withLock } from "../disk/lock.ts";
import { readFileAt } from "../disk/read-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { announce, type Run } from "../disk/runs.ts";
import { InputError } from "../errors.ts";
import { isObject } from "../terminal/objects.ts";

/** A prompt that is installed for a tool. */
export interface Install {
  /** `owner/slug`. */
  ref: string;
  /** The prompt's: another registry may have another prompt at the address, and a renamed one keeps it. */
  id: string;
  /** A tool, or a format. */
  target: string;
  /** What was asked for: the number of a version, a label, or `latest`. */
  asked: string;
  version: number;
  /** The digest of each file, by its path in the project. */
  files: Readonly<Record<string, string>>;
  /** The digest of each section in a file that is shared with others. */
  sections: Readonly<Record<string, string>>;
}

/** Lies in the root of the project, beside promptreg.lock, and is committed with what was installed. */
export const recordName = "promptreg.installed.json";

/** Deeper and longer than in a version: the tool's folders come first. */
const pathLimits = { bytes: 1024, levels: 16 };

/** @throws {InputError} for paths that no project should have, or that cannot stand beside each other. */
export function checkPaths(paths: Iterable<string>, what: string): void {
  const all = [...new Set(paths)];
  const details = [...pathProblems(all, pathLimits)].map(([index, problem]) => ({
    path: all[index] ?? "",
    message: `this path ${problem}`,
  }));
  if (details.length > 0) throw new InputError(`${what} has paths that cannot be written.`, details);
}

const maxMebibytes = 8;

/** Reads what is installed; nothing where there is no record. */
export async function readRecord(file: string): Promise<Install[]> {
  const isThere = await lstat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
  if (!isThere) return [];
  const text = new TextDecoder().decode(readFileAt(file, maxMebibytes).bytes);
  const installs = installsIn(text);
  if (installs === undefined)
    throw new InputError(
      /^<{7} /m.test(text)
        ? `${file} has an unfinished merge. Keep the entries of both sides.`
        : `${file} is damaged and cannot be used. Restore it, for example with git.`,
    );
  checkPaths(installs.flatMap(pathsOf), file);
  return installs;
}

/** Where the files of an install are. */
export const pathsOf = ({ files, sections }: Install): string[] => [
  ...Object.keys(files),
  ...Object.keys(sections),
];

/** Changes the record, as the last step of a run. Of several at once, each works on what the one before it wrote. */
export const changeRecord = (
  file: string,
  run: Run,
  change: (installs: Install[]) => Install[],
): Promise<void> =>
  withLock(file, "record of what is installed", async () => {
    const installs = change(await readRecord(file));
    const text = installs.length > 0 ? printRecord(installs) : null;
    await announce(run, text);
    if (text === null) await rm(file, { force: true });
    else await replaceFile(file, text, run.id);
  });

/** Sorted, so that the same installs always give the same bytes, and branches merge. */
function printRecord(installs: readonly Install[]): string {
  const prompts: Record<string, { id: string; for: Record<string, object> }> = {};
  for (const { ref, id, target, files, sections, ...install } of installs.toSorted(byName)) {
    const prompt = (prompts[ref] ??= { id, for: {} });
    prompt.for[target] = {
      ...install,
      files: sorted(files),
      ...(Object.keys(sections).length > 0 && { sections: sorted(sections) }),
    };
  }
  return `${JSON.stringify({ recordVersion: 1, prompts }, null, 2)}\n`;
}

const nameOf = ({ ref, target }: Install) => `${ref} ${target}`;
const byName = (a: Install, b: Install) => (nameOf(a) < nameOf(b) ? -1 : 1);
const sorted = (digests: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(digests).sort(([a], [b]) => (a < b ? -1 : 1)));

const isDigests = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((one) => typeof one === "string");

/** People and merges change records too: undefined for what cannot be one. */
function installsIn(text: string): Install[] | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(record) || record["recordVersion"] !== 1 || !isObject(record["prompts"])) return undefined;
  const installs: Install[] = [];
  for (const [ref, prompt] of Object.entries(record["prompts"])) {
    if (!isRef(ref) || ref.includes("@") || !isObject(prompt) || !isObject(prompt["for"])) return undefined;
    const { id } = prompt;
    for (const [target, install] of Object.entries(prompt["for"])) {
      if (typeof id !== "string" || !isObject(install) || !/^[a-z][a-z0-9-]*$/.test(target)) return undefined;
      const { asked, version, files, sections = {} } = install;
      if (typeof asked !== "string" || !isRef(`${ref}@${asked}`)) return undefined;
      if (!Number.isSafeInteger(version) || !isDigests(files) || !isDigests(sections)) return undefined;
      installs.push({ ref, id, target, asked, version: version as number, files, sections });
    }
  }
  return installs;
}

function isRef(text: string): boolean {
  try {
    parseRef(text);
    return true;
  } catch {
    return false;
  }
}
