import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { limits } from "@promptreg/core";
import type { ServerContext } from "../../kernel/server-context.ts";
import { closeSpool, openSpool } from "../../kernel/store/spool.ts";
import { dropFiles, keepFile, storeFile } from "../../kernel/store/stored-files.ts";
import type { LocalFile } from "../../kernel/store/store.ts";
import { type Bounds, runProcessing } from "./processing/run.ts";
import { asSent, MediaError, type Processed } from "./processing/task.ts";
import { finishMedia, type Held, lockHeld, type Put, rejectMedia } from "./work.sql.ts";

/**
 * Reads held media, stores what is made of them, and makes them ready or rejects them.
 * @throws whatever is not the fault of the media.
 */
export async function processMedia(
  server: ServerContext,
  held: Held,
  { signal, bounds }: { signal: AbortSignal; bounds?: Bounds },
): Promise<void> {
  const folder = await openSpool(server.store.spoolFolder);
  try {
    const processed = await read(server, held, { folder, signal, bounds });
    const [whole, thumbnail] = [await put(server, processed.whole), await put(server, processed.thumbnail)];
    await server.sql.begin(async (sql) => {
      if (!(await lockHeld(sql, held))) return;
      const of = { usedBy: held.id, accountId: held.ownerId };
      await finishMedia(sql, held, { processed, whole, thumbnail });
      if (whole) await dropFiles(sql, { ...of, keys: [held.fileKey] });
      for (const { key } of [whole, thumbnail].filter((file) => file !== null))
        await keepFile(sql, { ...of, key });
    });
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    await endMedia(server, held, error.message);
  } finally {
    await closeSpool(folder);
  }
}

const images = { maxPixels: limits.imagePixels, maxFrames: limits.animationFrames };

/** How long it may take to get the bytes from the store. */
const fetchMs = 60_000;

interface Reading {
  folder: string;
  signal: AbortSignal;
  bounds: Bounds | undefined;
}

async function read(
  { store, scanner }: ServerContext,
  { id, kind, mediaType, fileKey, sha256 }: Held,
  { folder, signal, bounds }: Reading,
): Promise<Processed> {
  // All kinds, and before anything reads them.
  const reason = scanner && (await scanner.scan(await store.get(fileKey), signal));
  if (reason) throw new MediaError(reason);
  if (kind === "file") return asSent({ kind, mediaType });
  const path = join(folder, "sent");
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(fetchMs)]);
  await pipeline(await store.get(fileKey), createWriteStream(path), { signal: inTime });
  if ((await digestOf(path)) !== sha256) throw new Error(`the store has other bytes of ${id}`);
  const processed = await runProcessing({ path, kind, mediaType, folder, images }, { signal, bounds });
  // A container of videos can hold a sound alone.
  if (processed.kind === "audio" && (await stat(path)).size > limits.audioBytes)
    throw new MediaError(`This is a sound, and can have ${limits.audioBytes / 1024 / 1024} MiB.`);
  return processed;
}

async function put(server: ServerContext, path: string | null): Promise<Put | null> {
  if (path === null) return null;
  const file: LocalFile = { path, size: (await stat(path)).size, sha256: await digestOf(path) };
  return { ...file, key: await storeFile(server, file) };
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(path), digest);
  return digest.digest("hex");
}

/** Rejects held media, and gives up their bytes. */
export const endMedia = ({ sql }: ServerContext, held: Held, reason: string): Promise<void> =>
  sql.begin(async (tx) => {
    if (!(await lockHeld(tx, held))) return;
    await rejectMedia(tx, held, reason);
    await dropFiles(tx, { usedBy: held.id, accountId: held.ownerId });
  });
