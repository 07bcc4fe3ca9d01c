import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream";
import { pipeline as piped } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { limits } from "@promptreg/core";
import { accountFormat } from "@promptreg/core/account";
import { ArchiveError, looksLikeArchive, type TarEntry, tarEntries } from "@promptreg/core/archives";
import { maxFiles, pathProblems } from "@promptreg/core/content";
import { placeIn } from "../../disk/places.ts";
import { faultOf, InputError } from "../../errors.ts";
import { unreadable } from "../../terminal/read-input.ts";

const mebibyte = 1024 ** 2;

/** What one part of an archive is called, and how much it may have. */
interface Rule {
  /** What stands before the files of one such thing. The first group names it. */
  pattern: RegExp;
  files: number;
  fileBytes: number;
  bytes: number;
}
const one = { files: 1, fileBytes: 64 * mebibyte, bytes: 64 * mebibyte };
const lines = { files: 1, fileBytes: 1024 * mebibyte, bytes: 1024 * mebibyte };
const version = { files: maxFiles, fileBytes: 10 * mebibyte, bytes: 10 * mebibyte };
/** Of makes and posts: 30 videos and 20 files. */
const folder = { files: 500, fileBytes: limits.videoBytes, bytes: 5 * 1024 * mebibyte };
const slug = "[a-z0-9]+(?:-[a-z0-9]+)*";
const number = "[1-9]\\d{0,6}";

/** The parts of an archive, in their order. Those of a prompt follow one another. */
const rules = {
  head: { pattern: /^()(?=promptreg-account\.json$)/, ...one },
  prompt: { pattern: new RegExp(`^prompts/(${slug})/(?=(?:promptreg|record)\\.json$)`), ...one, files: 2 },
  version: { pattern: new RegExp(`^prompts/(${slug}/versions/${number})/`), ...version },
  draft: { pattern: new RegExp(`^prompts/(${slug})/draft/`), ...version },
  dataset: {
    pattern: new RegExp(`^prompts/(${slug}/datasets/${number})/(?=(?:dataset\\.json|cases\\.jsonl)$)`),
    ...lines,
    files: 2,
  },
  example: { pattern: new RegExp(`^prompts/(${slug}/examples/${number})/`), ...folder, files: 11 },
  series: { pattern: /^()(?=series\.json$)/, ...one },
  post: { pattern: new RegExp(`^posts/(${slug})/`), ...folder },
  make: { pattern: new RegExp(`^makes/(${slug})/`), ...folder },
  collection: { pattern: new RegExp(`^collections/(${number})/`), ...folder, files: 2 },
  comments: { pattern: /^()(?=comments\.jsonl$)/, ...lines },
  stars: { pattern: /^()(?=stars\.jsonl$)/, ...lines },
  watches: { pattern: /^()(?=watches\.jsonl$)/, ...lines },
  end: { pattern: /^()(?=left-out\.json$)/, ...one },
} satisfies Record<string, Rule>;

export type UnitKind = keyof typeof rules;
const kinds = Object.keys(rules) as UnitKind[];
const maxPathLength = 1_000;
const partsOfPrompts: readonly UnitKind[] = ["version", "draft", "dataset", "example"];

export interface UnpackedFile {
  /** Below the folder of the unit. */
  path: string;
  mode: number;
  size: number;
}

/** A part of an archive that is on this disk, until the next one is asked for. */
export interface Unit {
  kind: UnitKind;
  /** The slug of a prompt, a post or a make; else a number. */
  name: string;
  /** Of a part of a prompt: its number. */
  nth: number;
  /** Where it is in the archive. */
  prefix: string;
  folder: string;
  files: UnpackedFile[];
}

/**
 * Unpacks an archive a part at a time. It may be hostile: what is no part of an export, what is too large, links, and paths that lead
 * elsewhere end it, with the name of the entry.
 * @throws {InputError}
 */
export async function* unitsOf(
  file: string,
  { scratch, signal }: { scratch: string; signal: AbortSignal },
): AsyncGenerator<Unit> {
  const found = await stat(file).catch((error: Error) => {
    throw unreadable(file, error);
  });
  if (!found.isFile()) throw new InputError(`${file} is no file. Name the archive itself.`);
  if (!(await looksLikeArchive(file))) throw new InputError(`${file} is no archive (tar.gz).`);
  const order = new Order(file);
  let unit: Unit | undefined;
  try {
    for await (const entry of tarEntries(unpacked(file))) {
      signal.throwIfAborted();
      if (entry.kind === "folder") continue;
      const { kind, name, prefix, path } = placeOf(file, entry);
      if (unit?.prefix !== prefix || unit.kind !== kind) {
        if (unit) yield finished(file, unit);
        order.check(kind, name, entry.name);
        const [slug = "", , nth = 0] = name.split("/");
        unit = { kind, name: slug, nth: Number(nth), prefix, folder: join(scratch, "unit"), files: [] };
        await rm(unit.folder, { recursive: true, force: true });
      }
      await unpack(file, unit, entry, path);
    }
    if (unit) yield finished(file, unit);
    if (unit?.kind !== "end")
      throw new InputError(
        `${file} is not whole: its last file, left-out.json, is missing. Export it again.`,
      );
  } catch (error) {
    throw error instanceof ArchiveError ? new InputError(`${file}: ${error.message}`) : error;
  }
}

async function* unpacked(file: string): AsyncGenerator<Uint8Array> {
  // An archive that is cut off ends with an error, which comes out of the last stream.
  const stream = pipeline(createReadStream(file), createGunzip({ chunkSize: 256 * 1024 }), () => {});
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith("Z_")) throw error;
    throw new ArchiveError(`It is no tar.gz that can be read: ${(error as Error).message}.`);
  }
}

/** What an entry is called in messages: with what cannot be seen of its name. */
const shown = (name: string) => JSON.stringify(name.slice(0, 300));

function placeOf(file: string, { name, kind: type }: TarEntry) {
  const path = name.replace(/^(?:\.\/)+/, "");
  if (type !== "file")
    throw new InputError(
      `${file}: ${shown(name)} is no ordinary file. An export has no links and no devices.`,
    );
  // A pattern can exhaust the stack on megabytes.
  for (const kind of path.length > maxPathLength ? [] : kinds) {
    const [prefix, inside = ""] = rules[kind].pattern.exec(path) ?? [];
    if (prefix === undefined) continue;
    const rest = path.slice(prefix.length);
    const problem = pathProblems([rest]).get(0);
    if (problem !== undefined) throw new InputError(`${file}: the path of ${shown(name)} ${problem}.`);
    return { kind, name: inside, prefix, path: rest };
  }
  throw new InputError(
    `${file}: ${shown(name)} is no part of an export of an account. \`promptreg import\` takes other archives.`,
  );
}

async function unpack(file: string, unit: Unit, { name, size, mode, content }: TarEntry, path: string) {
  const { files, fileBytes, bytes } = rules[unit.kind];
  const whole = unit.files.reduce((sum, one) => sum + one.size, size);
  if (size > fileBytes || whole > bytes)
    throw new InputError(
      `${file}: ${shown(name)} is larger than it may be: ${Math.min(fileBytes, bytes) / mebibyte} MiB.`,
    );
  if (unit.files.length === files)
    throw new InputError(`${file}: ${shown(name)} is one file too many. There may be ${files}.`);
  const place = placeIn(unit.folder, path);
  try {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await piped(content, createWriteStream(place, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EEXIST", "ENOTDIR", "EISDIR"].includes(code))
      throw new InputError(`${file}: ${shown(name)} is there twice, or is a file and a folder.`);
    if (code === "" || code.startsWith("ERR_") || code.startsWith("Z_")) throw error;
    throw new InputError(
      `${file}: ${shown(name)} cannot be unpacked into ${unit.folder}: ${faultOf(error)}.`,
    );
  }
  unit.files.push({ path, mode, size });
}

function finished(file: string, unit: Unit): Unit {
  const problems = pathProblems(unit.files.map(({ path }) => path));
  for (const [index, problem] of problems)
    throw new InputError(`${file}: ${shown(unit.prefix + unit.files[index]?.path)} ${problem}.`);
  return unit;
}

/** Refuses what comes in another order than an export has: each part once, and those of a prompt together. */
class Order {
  readonly #seen = new Set<string>();
  #rank = -1;
  #slug = "";
  #nth = 0;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  check(kind: UnitKind, name: string, entry: string): void {
    const [slug = "", , nth = "1"] = name.split("/");
    const rank = kinds.indexOf(kind);
    if (this.#rank < 0 && kind !== "head")
      throw new InputError(
        `${this.#file} is no export of an account: it does not begin with ${accountFormat.file}.`,
      );
    const isNext = rank === this.#rank && Number(nth) === this.#nth + 1;
    const isInOrder = partsOfPrompts.includes(kind)
      ? slug === this.#slug && (isNext || (rank > this.#rank && nth === "1"))
      : rank >= this.#rank || (kind === "prompt" && this.#rank <= kinds.indexOf("example"));
    const key = `${kind} ${name}`;
    if (!isInOrder || this.#seen.has(key))
      throw new InputError(`${this.#file}: ${shown(entry)} stands at another place than in an export.`);
    if (!partsOfPrompts.includes(kind)) this.#seen.add(key);
    this.#rank = rank;
    this.#slug = slug;
    this.#nth = Number(nth);
  }
}
