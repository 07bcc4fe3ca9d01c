import type { Connection } from "../exchange.ts";
import type { CacheEntry, isContent, Target } from "./content.ts";
import type { PromptDisk } from "./disk.ts";

/** Cache entries on disk. The disk is one source of several, so its errors are ignored. */
export class StoredEntries {
  readonly #disk: PromptDisk;
  readonly #connection: Connection;
  readonly #isContent: typeof isContent;
  #done: Promise<unknown> = Promise.resolve();

  /** @param check passed in, not imported: an import here would move it out of the bundle's first chunk. */
  constructor(disk: PromptDisk, connection: Connection, check: typeof isContent) {
    this.#disk = disk;
    this.#connection = connection;
    this.#isContent = check;
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

  /** Resolves when all work that was begun is done. */
  get done(): Promise<unknown> {
    return this.#done;
  }

  /** Runs work in sequence: otherwise a write could finish after the removal that follows it. */
  #do(work: () => Promise<void>): Promise<unknown> {
    this.#done = this.#done.then(work).catch(() => {});
    return this.#done;
  }

  /** The address contains the token, since another account may not see the same. */
  async #addressOf({ key }: Target): Promise<string> {
    const { baseUrl, token } = this.#connection;
    return [baseUrl, typeof token === "function" ? await token() : token, key].join("\n");
  }

  /** Parses a text; undefined if it is no cache entry of the target. */
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
