import { randomBytes } from "node:crypto";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../accounts/caller.ts";
import { requireBytes, selectStorage } from "../changes/account-bytes.ts";
import { leaveJob } from "../changes/outbox.ts";
import type { SpooledFile } from "../input/multipart.ts";
import type { ServerContext } from "../server-context.ts";
import { keepFile, storeFile } from "../store/stored-files.ts";
import { type Recognised, recognise } from "./recognise.ts";
import { insertMedia } from "./upload.sql.ts";

/** Whether the optional package that reads pictures is installed. */
export const canReadImages = isInstalled();

function isInstalled(): boolean {
  try {
    return import.meta.resolve("sharp") !== "";
  } catch {
    return false;
  }
}

/** A file of a form that is stored, and what it is. */
export interface StoredUpload extends Recognised {
  file: SpooledFile;
  key: string;
}

/**
 * Stores the file of a form, before the transaction that keeps it.
 * @throws {ApiError} `validation_failed`, `unavailable` or `quota_exceeded`.
 */
export async function storeUpload(
  files: readonly SpooledFile[],
  purpose: "show" | "file",
  { caller, server }: { caller: Pick<Caller, "id"> | null; server: ServerContext },
): Promise<StoredUpload> {
  const file = onlyFile(files);
  const found = await recognise(file, purpose);
  if (found.kind === "image" && !canReadImages) {
    throw apiError("unavailable", {
      message: "This server takes no pictures: its operator has to install the package sharp.",
    });
  }
  // Before it is stored. What comes at once is counted again below.
  requireBytes(server, { ...(await selectStorage(server.sql, caller?.id ?? "")), more: file.size });
  const key = await storeFile(server, file);
  server.metrics?.countMedia("received", file.size);
  return { ...found, file, key };
}

/**
 * Writes media of what was stored, gives their id, and wakes the worker that reads them.
 * @throws {ApiError} `quota_exceeded` or `unavailable`.
 */
export async function keepUpload(
  { sql, server, caller }: { sql: Sql; server: ServerContext; caller: Pick<Caller, "id"> },
  { file, key, ...found }: StoredUpload,
  alt?: string,
): Promise<string> {
  const id = await insertMedia(sql, {
    ...found,
    ownerId: caller.id,
    filename: nameOf(file.filename),
    alt,
    key,
    file,
    linkSecret: randomBytes(32),
  });
  await keepFile(sql, { key, usedBy: id, accountId: caller.id });
  requireBytes(server, { ...(await selectStorage(sql, caller.id)), more: 0 });
  await leaveJob(sql, server, "process_media");
  return id;
}

function onlyFile(files: readonly SpooledFile[]): SpooledFile {
  const [file] = files;
  if (file?.field !== "file") throw invalid("/file", "Send a file, in the field named file.");
  if (file.size === 0) throw invalid("/file", "The file is empty.");
  return file;
}

/** A name that a header, a terminal and a disk can bear; null if nothing of it is left. */
function nameOf(sent: string): string | null {
  const name = sent
    .slice(0, 1_000)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, "")
    .trim();
  // By characters: half of one would be none.
  return name.match(/^.{0,255}/su)?.[0] || null;
}
