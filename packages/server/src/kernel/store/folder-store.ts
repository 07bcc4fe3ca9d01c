import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { makeFolder } from "../../database/folder.ts";
import { type ByteRange, type LocalFile, LostFileError, type Store } from "./store.ts";

/** Keeps bytes in a folder: a file for each key. Processes that share the folder share the store. */
export class FolderStore implements Store {
  readonly place: string;
  /** On the same disk, so that a file is stored by moving it. */
  readonly spoolFolder: string;

  constructor(folder: string) {
    this.place = folder;
    this.spoolFolder = join(folder, "incoming");
  }

  /** A folder with a million files is slow on some file systems. */
  #path(key: string): string {
    return join(this.place, key.slice(0, 2), key);
  }

  async put(key: string, { path }: LocalFile): Promise<void> {
    const target = this.#path(key);
    makeFolder(dirname(target));
    await sync(path);
    await rename(path, target);
    // Without these, a power failure can take the name of a file whose row is committed.
    for (const folder of [dirname(target), this.place]) await sync(folder);
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const file = await open(this.#path(key)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? new LostFileError(`the store has nothing under ${key}`) : error;
    });
    return file.createReadStream({ ...range, highWaterMark: 512 * 1024 });
  }

  delete(key: string): Promise<void> {
    return rm(this.#path(key), { force: true });
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } catch (error) {
    // Windows writes folders by itself, and syncs none.
    if (process.platform !== "win32") throw error;
  } finally {
    await handle.close();
  }
}
