import type { Connection } from "../call.ts";
import type { CacheEntry, isContent, Target } from "./content.ts";
import type { PromptDisk } from "./disk.ts";

/** The cache entries on a disk. It is one source of several: what cannot be read or written there hinders nothing. */
export class StoredCopies {
  readonly #disk: PromptDisk;
  readonly #connection: Connection;
  readonly #isContent: typeof isContent;
  #done: Promise<unknown> = Promise.resolve();

  /** @param holds as the cache has it: what is loaded later would otherwise pull it out of what is loaded at once. */
  constructor(disk: PromptDisk, connection: Connection, holds: typeof isContent) {
    this.#disk = disk;
    this.#connection = connection;
    this.#isContent = holds;
  }

  async read(target: Target): Promise<CacheEntry | undefined> {
    try {
      const text = await this.#disk.read(await this.#addressOf(target));
      return text === undefined ? undefined : this.#entryIn(text, target);
    } catch {
      return undefined;
    }
  }

  write(target: Target, entry: CacheEntry): Promise<unknown> {
    const text = JSON.stringify({ key: target.key, ...entry });
    return this.#do(async () => this.#disk.write(await this.#addressOf(target), text));
  }

  remove(target: Target): Promise<unknown> {
    return this.#do(async () => this.#disk.remove(await this.#addressOf(target)));
  }

  /** Resolves when all is done that was begun. */
  get done(): Promise<unknown> {
    return this.#done;
  }

  /** One after the other, or what was written last might be what was removed. */
  #do(work: () => Promise<void>): Promise<unknown> {
    this.#done = this.#done.then(work).catch(() => {});
    return this.#done;
  }

  /** Whose cache entry it is belongs to it: another account may not see the same. */
  async #addressOf({ key }: Target): Promise<string> {
    const { baseUrl, token } = this.#connection;
    return [baseUrl, typeof token === "function" ? await token() : token, key].join("\n");
  }

  /** Undefined for what is no cache entry of the target, whoever wrote it. */
  #entryIn(text: string, target: Target): CacheEntry | undefined {
    const { key, ...entry } = (JSON.parse(text) ?? {}) as Partial<CacheEntry> & { key?: unknown };
    const isEntry =
      key === target.key &&
      typeof entry.ref === "string" &&
      typeof entry.version === "number" &&
      (target.version ?? entry.version) === entry.version &&
      typeof entry.confirmedAt === "number" &&
      this.#isContent(entry.content);
    return isEntry ? (entry as CacheEntry) : undefined;
  }
}
