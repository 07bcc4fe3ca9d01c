import type { Connection } from "../call.ts";
import type { Copy, isContent, Target } from "./content.ts";
import type { PromptDisk } from "./disk.ts";

/** The copies on a disk. It is one source of several: what cannot be read or written there hinders nothing. */
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

  async read(target: Target): Promise<Copy | undefined> {
    try {
      const text = await this.#disk.read(await this.#addressOf(target));
      return text === undefined ? undefined : this.#copyIn(text, target);
    } catch {
      return undefined;
    }
  }

  write(target: Target, copy: Copy): Promise<unknown> {
    const text = JSON.stringify({ key: target.key, ...copy });
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

  /** Whose copy it is belongs to it: another account may not see the same. */
  async #addressOf({ key }: Target): Promise<string> {
    const { baseUrl, token } = this.#connection;
    return [baseUrl, typeof token === "function" ? await token() : token, key].join("\n");
  }

  /** Undefined for what is no copy of the target, whoever wrote it. */
  #copyIn(text: string, target: Target): Copy | undefined {
    const { key, ...copy } = (JSON.parse(text) ?? {}) as Partial<Copy> & { key?: unknown };
    const isCopy =
      key === target.key &&
      typeof copy.ref === "string" &&
      typeof copy.version === "number" &&
      (target.version ?? copy.version) === copy.version &&
      typeof copy.confirmedAt === "number" &&
      this.#isContent(copy.content);
    return isCopy ? (copy as Copy) : undefined;
  }
}
