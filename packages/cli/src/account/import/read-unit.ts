import { createReadStream, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CaseInput, describeIssue, type Schema } from "@promptreg/core";
import {
  accountFormat,
  AccountHead,
  CollectionRecord,
  CommentRecord,
  DatasetRecord,
  ExampleRecord,
  MakeRecord,
  PostRecord,
  PromptRecord,
  SeriesRecords,
  StarRecord,
  WatchRecord,
} from "@promptreg/core/account";
import { checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import { boundJson } from "@promptreg/core/wire";
import { placeIn } from "../../disk/places.ts";
import { InputError } from "../../errors.ts";
import { manifestName, readManifest, toInput } from "../../folders/index.ts";
import { readMake } from "../../makes/index.ts";
import { readSendable } from "../../posts/index.ts";
import type { Unit } from "./units.ts";

/** The longest line of JSON: a case has up to 64 KiB of each of four things, which JSON may write six times as long. */
const maxLineBytes = 2 * 1024 ** 2;
/** Of a prompt with 10,000 versions, each with a long message; and of anything else. */
const [maxRecordBytes, maxJsonBytes] = [64 * 1024 ** 2, 8 * 1024 ** 2];
const maxJsonValues = 500_000;

const problems = (error: { issues: { path: PropertyKey[]; message: string }[] }) =>
  error.issues.slice(0, 20).map(({ path, message }) => ({ path: path.join("."), message }));

function parse<T>(schema: Schema<T>, text: string, name: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(`${name} is not valid JSON.`);
  }
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw new InputError(`${name} has another form than an export.`, problems(parsed.error));
}

async function readJson<T>(unit: Unit, path: string, schema: Schema<T>): Promise<T> {
  const size = unit.files.find((file) => file.path === path)?.size ?? 0;
  const most = unit.kind === "prompt" ? maxRecordBytes : maxJsonBytes;
  if (size > most) throw new InputError(`${unit.prefix}${path} is larger than ${most / 1024 ** 2} MiB.`);
  const bytes = await readFile(placeOf(unit, path));
  try {
    boundJson(bytes, maxJsonValues);
  } catch {
    throw new InputError(`${unit.prefix}${path} has more values, or deeper ones, than an export.`);
  }
  return parse(schema, bytes.toString("utf8"), unit.prefix + path);
}

/** Where a file of a unit is, which is among those that were unpacked. */
function placeOf({ files, folder, prefix }: Unit, path: string): string {
  if (files.some((file) => file.path === path)) return placeIn(folder, path);
  throw new InputError(`${prefix}${JSON.stringify(path)} is missing in the archive.`);
}

/** The values of a file that has one a line. */
async function* readLines<T>(unit: Unit, path: string, schema: Schema<T>): AsyncGenerator<T> {
  const place = placeIn(unit.folder, path);
  let nth = 0;
  for await (const line of linesOf(place, unit.prefix + path)) {
    nth += 1;
    yield parse(schema, line, `Line ${nth} of ${unit.prefix}${path}`);
  }
}

/** Lines of a file, none of them longer than it may be. */
async function* linesOf(place: string, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest: Uint8Array[] = [];
  let length = 0;
  const line = () => {
    const whole = Buffer.concat(rest);
    rest = [];
    length = 0;
    try {
      return decoder.decode(whole);
    } catch {
      throw new InputError(`${name} is not UTF-8.`);
    }
  };
  for await (const chunk of createReadStream(place) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      rest.push(chunk.subarray(from, end));
      from = end + 1;
      yield line();
    }
    rest.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > maxLineBytes) throw new InputError(`${name} has a line of over 2 MiB.`);
  }
  if (length > 0) yield line();
}

/** The first file. */
export async function readHead(unit: Unit): Promise<AccountHead> {
  const head = await readJson(unit, accountFormat.file, AccountHead);
  if (head.formatVersion > accountFormat.version)
    throw new InputError(
      `The archive has version ${head.formatVersion} of its format, and this program knows ${accountFormat.version}. Update promptreg.`,
    );
  return head;
}

export async function readPromptHead(unit: Unit, { account }: AccountHead) {
  const record = await readJson(unit, "record.json", PromptRecord);
  placeOf(unit, manifestName);
  const manifest = await named(unit, () => readManifest(unit.folder));
  const ref = `${account.handle}/${unit.name}`;
  if (manifest.prompt !== ref)
    throw new InputError(
      `${unit.prefix}${manifestName} names ${JSON.stringify(manifest.prompt)}, and in an archive of ${account.handle} it must be ${ref}.`,
    );
  return { slug: unit.name, manifest, record };
}
export type PromptHead = Awaited<ReturnType<typeof readPromptHead>>;

/** Whether others could read a prompt at the registry that the archive comes from. */
export const wasOpen = ({ manifest, record }: Pick<PromptHead, "manifest" | "record">): boolean =>
  (manifest.visibility ?? "private") !== "private" && record.status === "published";

/** The files of a version, or of a draft, as they are sent. */
export async function readFiles(unit: Unit): Promise<{ files: FileInput[]; hash: string }> {
  const files: FileInput[] = [];
  for (const { path, mode } of unit.files)
    files.push(toInput(path, await readFile(placeIn(unit.folder, path)), mode));
  const { files: checked, problems } = await checkFiles(files);
  if (problems.length > 0)
    throw new InputError(
      `${unit.prefix} has files that a version cannot have.`,
      problems.map(({ message }) => ({ path: "", message })),
    );
  return { files, hash: await contentHash(checked) };
}

export async function readVersion(unit: Unit, { record }: Pick<PromptHead, "record">) {
  const { files, hash } = await readFiles(unit);
  const version = record.versions[unit.nth - 1];
  if (version === undefined) throw new InputError(`${unit.prefix} is not in the record.json of its prompt.`);
  if (version.contentHash !== hash)
    throw new InputError(`${unit.prefix} has other files than the content hash in record.json says.`);
  return { files, version };
}

export async function readDataset(unit: Unit) {
  const dataset = await readJson(unit, "dataset.json", DatasetRecord);
  const hasCases = unit.files.some(({ path }) => path === "cases.jsonl");
  return { dataset, cases: () => (hasCases ? readLines(unit, "cases.jsonl", CaseInput) : nothing()) };
}
async function* nothing(): AsyncGenerator<never> {}

export async function readExample(unit: Unit) {
  const example = await readJson(unit, "example.json", ExampleRecord);
  return { example, places: example.media.map((path) => placeOf(unit, path)) };
}

export const readSeries = (unit: Unit) => readJson(unit, "series.json", SeriesRecords);

export async function readPostFolder(unit: Unit) {
  const record = await readJson(unit, "record.json", PostRecord);
  const file = join(unit.folder, "post.md");
  const published = join(unit.folder, "published.md");
  const hasPublished = existsSync(published);
  const page = await named(unit, async () => {
    if (hasPublished) await readSendable(published);
    return readSendable(file);
  });
  if (page.fields.slug !== unit.name)
    throw new InputError(`${unit.prefix}post.md names another slug than its folder.`);
  return {
    record,
    slug: unit.name,
    series: page.fields.series,
    file,
    published: hasPublished ? published : null,
  };
}
export type PostFolder = Awaited<ReturnType<typeof readPostFolder>>;

export async function readMakeFolder(unit: Unit) {
  const record = await readJson(unit, "record.json", MakeRecord);
  const make = await named(unit, () => readMake(unit.folder));
  if (make.manifest.slug !== unit.name)
    throw new InputError(`${unit.prefix}make.json names another slug than its folder.`);
  return { record, slug: unit.name, make };
}

export async function readCollection(unit: Unit) {
  const collection = await readJson(unit, "collection.json", CollectionRecord);
  const { cover } = collection;
  return { collection, cover: cover === null ? null : placeOf(unit, cover) };
}

export const readComments = (unit: Unit) => readLines(unit, "comments.jsonl", CommentRecord);
export const readStars = (unit: Unit) => readLines(unit, "stars.jsonl", StarRecord);
export const readWatches = (unit: Unit) => readLines(unit, "watches.jsonl", WatchRecord);

/** Names the archive's folder in what is wrong there, instead of where it is on this disk. */
const named = <Result>(unit: Unit, act: () => Promise<Result>): Promise<Result> =>
  act().catch((error: Error) => {
    error.message = error.message.replaceAll(unit.folder, unit.prefix.replace(/\/$/, ""));
    throw error;
  });
