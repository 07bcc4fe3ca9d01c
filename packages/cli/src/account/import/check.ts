import type { AccountHead, PromptRecord } from "@promptreg/core/account";
import { limits } from "@promptreg/core";
import { InputError } from "../../errors.ts";
import { isOnOwn } from "./comments.ts";
import {
  readCollection,
  readComments,
  readDataset,
  readExample,
  readFiles,
  readHead,
  readMakeFolder,
  readPostFolder,
  readPromptHead,
  type PromptHead,
  readSeries,
  readStars,
  readVersion,
  wasOpen,
  readWatches,
} from "./read-unit.ts";
import { type Unit, type UnitKind, unitsOf } from "./units.ts";

/** What others could read at the registry that an archive comes from. */
export interface Opened {
  prompts: string[];
  makes: string[];
  posts: string[];
  collections: string[];
  comments: number;
  hasProfile: boolean;
}

/** What was found in an archive that is in order. */
export interface Checked {
  head: AccountHead;
  /** Slugs of the makes and ids of the posts. */
  own: Set<string>;
  opened: Opened;
  /** How many prompts, posts and makes there are. */
  total: number;
}

/**
 * Reads all of an archive once, before anything is sent.
 * @throws {InputError} that names what is wrong.
 */
export async function checkArchive(
  file: string,
  options: { scratch: string; signal: AbortSignal; onThing: () => void },
): Promise<Checked> {
  let head: AccountHead | undefined;
  let prompt: PromptHead | undefined;
  let total = 0;
  const counts: Partial<Record<UnitKind, number>> = {};
  const opened: Opened = {
    prompts: [],
    makes: [],
    posts: [],
    collections: [],
    comments: 0,
    hasProfile: false,
  };
  const own = new Set<string>();
  const versions = new Counting(file);
  for await (const unit of unitsOf(file, options)) {
    if (unit.kind === "head") {
      head = await readHead(unit);
      const { name, bio, website } = head.account;
      opened.hasProfile = (name ?? bio ?? website) !== null;
      continue;
    }
    if (head === undefined) continue;
    counts[unit.kind] = (counts[unit.kind] ?? 0) + 1;
    if ((counts[unit.kind] ?? 0) > (most[unit.kind] ?? Number.POSITIVE_INFINITY))
      throw new InputError(
        `${file} has more than ${most[unit.kind]} ${unit.kind}s, which no account can have.`,
      );
    if (["prompt", "post", "make"].includes(unit.kind)) {
      total += 1;
      options.onThing();
    }
    if (unit.kind === "prompt") {
      versions.end();
      prompt = await readPromptHead(unit, head);
      versions.begin(prompt);
      if (wasOpen(prompt)) opened.prompts.push(prompt.slug);
    } else if (prompt && unit.kind === "version") {
      await readVersion(unit, prompt);
      versions.count += 1;
    } else if (prompt && unit.kind === "draft") {
      if (prompt.record.draft === null)
        throw new InputError(`${unit.prefix} is not in the record.json of its prompt.`);
      await readFiles(unit);
    } else {
      if (unit.kind === "series") versions.end();
      await checkOther(unit, { head, own, opened });
    }
  }
  if (head === undefined) throw new InputError(`${file} is no export of an account.`);
  versions.end();
  return { head, own, opened, total };
}

/** So many an account can have: what has more was not exported. */
const most: Partial<Record<UnitKind, number>> = {
  prompt: limits.promptsPerAccount,
  post: limits.postsPerAccount,
  make: limits.makesPerAccount,
  collection: 200,
};

async function checkOther(unit: Unit, { head, own, opened }: Omit<Checked, "total">): Promise<void> {
  if (unit.kind === "dataset") await exhaust((await readDataset(unit)).cases());
  else if (unit.kind === "example") await readExample(unit);
  else if (unit.kind === "series") await readSeries(unit);
  else if (unit.kind === "post") {
    const { id, status } = (await readPostFolder(unit)).record;
    own.add(id);
    if (status !== "draft") opened.posts.push(unit.name);
  } else if (unit.kind === "make") {
    own.add(unit.name);
    if ((await readMakeFolder(unit)).record.status === "published") opened.makes.push(unit.name);
  } else if (unit.kind === "collection") {
    const { collection } = await readCollection(unit);
    if (collection.visibility !== "private") opened.collections.push(collection.title);
  } else if (unit.kind === "comments") {
    for await (const { target } of readComments(unit))
      if (isOnOwn({ head, own }, target)) opened.comments += 1;
  } else if (unit.kind === "stars") await exhaust(readStars(unit));
  else if (unit.kind === "watches") await exhaust(readWatches(unit));
}

async function exhaust(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}

/** Whether each prompt has all the versions of its record. */
class Counting {
  count = 0;
  #record: PromptRecord | undefined;
  #slug = "";
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  begin({ slug, record }: PromptHead): void {
    this.#slug = slug;
    this.#record = record;
    this.count = 0;
  }

  end(): void {
    const wanted = this.#record?.versions.length ?? 0;
    if (this.#record !== undefined && wanted !== this.count)
      throw new InputError(
        `${this.#file} has ${this.count} of the ${wanted} versions that prompts/${this.#slug}/record.json names.`,
      );
    this.#record = undefined;
  }
}
