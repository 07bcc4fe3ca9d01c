import {
  type Label,
  type Prompt,
  reservedHandles,
  type Scope,
  handle as handleSchema,
  type Version,
  type VersionSummary,
} from "@promptreg/core";
import { type RegistryClock, runClock } from "./clock.ts";
import type { StoredDataset, StoredRun } from "./evals/stored.ts";

/** An account of a registry for tests. */
export interface Account {
  id: string;
  handle: string;
  createdAt: string;
}

/** The caller: an account, and the scopes of its token. */
export interface Caller extends Account {
  tokenId: string;
  scopes: readonly Scope[];
}

/** A version, and its yank, which can change. */
export interface StoredVersion {
  version: Version;
  yanked: VersionSummary["yanked"];
}

/** A prompt as a registry for tests stores it. */
export interface StoredPrompt
  extends Pick<
    Prompt,
    | "id"
    | "slug"
    | "kind"
    | "title"
    | "summary"
    | "tags"
    | "license"
    | "visibility"
    | "rating"
    | "createdAt"
    | "updatedAt"
  > {
  owner: Account;
  /** Old addresses that redirect here for ever. */
  formerSlugs: readonly string[];
  isDeleted: boolean;
  /** Raised by every edit, commit, yank and label move. */
  revision: number;
  /** Oldest first. */
  versions: readonly StoredVersion[];
  labels: ReadonlyMap<string, Label>;
  /** In milliseconds since 1970: each event of a prompt is later than the one before. */
  lastEventAt: number;
}

/** What is stored by its id. */
export type Stored = StoredPrompt | StoredRun | StoredDataset;

/** The response to a POST with an Idempotency-Key. */
export interface StoredAnswer {
  request: string;
  reply: object;
  at: number;
}

export const publicUrl = "https://promptreg.test";

const base32 = "0123456789abcdefghjkmnpqrstvwxyz";
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomText = (digits: string, length: number) =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => digits[byte % digits.length]).join("");

function inBase32(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32))
    text = base32.charAt(rest % 32) + text;
  return text;
}

/** The data of a registry. What is stored is replaced, not changed, so a failed change leaves nothing behind. */
export class World {
  readonly clock: RegistryClock = runClock();
  readonly accounts = new Map<string, Account>();
  readonly callers = new Map<string, Caller>();
  readonly prompts = new Map<string, StoredPrompt>();
  readonly runs = new Map<string, StoredRun>();
  readonly datasets = new Map<string, StoredDataset>();
  readonly answers = new Map<string, StoredAnswer>();
  /** The bodies of events that nobody has fetched yet. */
  readonly events: { name: string; body: string }[] = [];

  /** The current time, as in responses. */
  now(): string {
    return new Date(this.clock.nowMs()).toISOString();
  }

  #ids = 0;

  /** A ULID with its prefix. Ids sort by creation, also within a millisecond. */
  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${inBase32(this.clock.nowMs(), 10)}${inBase32(this.#ids, 6)}${randomText(base32, 10)}`;
  }

  /** Puts a copy in the place of what has its id. */
  store(copy: Stored): void {
    const all = { prm: this.prompts, run: this.runs, eds: this.datasets }[copy.id.slice(0, 3)];
    (all as Map<string, Stored>).set(copy.id, copy);
  }

  /** @throws {TypeError} if the handle is invalid. */
  join(handle: string, scopes: readonly Scope[] = ["read", "write"]): string {
    if (!handleSchema.safeParse(handle).success || reservedHandles.includes(handle)) {
      throw new TypeError(`"${handle}" cannot be a handle.`);
    }
    const account = this.accounts.get(handle) ?? { id: this.newId("usr"), handle, createdAt: this.now() };
    this.accounts.set(handle, account);
    const token = `prt_${randomText(base62, 42)}`;
    this.callers.set(token, { ...account, tokenId: this.newId("tok"), scopes });
    return token;
  }

  /** The prompt with this current or old address. */
  find(owner: string, slug: string): StoredPrompt | undefined {
    const all = [...this.prompts.values()].filter((prompt) => prompt.owner.handle === owner);
    return (
      all.find((prompt) => prompt.slug === slug) ?? all.find((prompt) => prompt.formerSlugs.includes(slug))
    );
  }
}

/** The newest version that is not yanked. */
export const latestOf = ({ versions }: StoredPrompt): StoredVersion | undefined =>
  versions.findLast(({ yanked }) => yanked === null);

export const versionOf = ({ versions }: StoredPrompt, n: number): StoredVersion | undefined =>
  versions[n - 1];
