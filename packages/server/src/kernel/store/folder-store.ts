import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { makeFolder } from "../../database/folder.ts";
import { giveBack, lend, lentBytes } from "./lent-buffers.ts";
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
    return partsOf(file, range);
  }

  delete(key: string): Promise<void> {
    return rm(this.#path(key), { force: true });
  }
}

/** The bytes of a file, in buffers that are lent. */
function partsOf(file: FileHandle, { start, end }: ByteRange = { start: 0, end: Infinity }): Readable {
  let at = start;
  const readPart = async () => {
    const buffer = lend();
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end + 1 - at), at);
    at += bytesRead;
    if (bytesRead === buffer.length) return buffer;
    // What is less would keep all of it until it is read.
    const part = bytesRead === 0 ? null : Buffer.from(buffer.subarray(0, bytesRead));
    giveBack(buffer);
    return part;
  };
  return new Readable({
    highWaterMark: lentBytes,
    read() {
      readPart().then(
        (part) => this.push(part),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(reason, done) {
      file.close().then(() => done(reason), done);
    },
  });
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
