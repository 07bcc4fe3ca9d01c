import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CreateMedia, MediaDetails } from "@promptreg/client";
import { InputError } from "../errors.ts";
import type { Client } from "../requests/client.ts";
import { uploadMs } from "../requests/rate-limits.ts";
import { unreadable } from "../terminal/read-input.ts";

/** A picture is ready at once, a video takes a while. */
const firstAskMs = 50;
const lastAskMs = 500;
/** Longer than any media are read. After that the worker is not there. */
const readyMs = 300_000;

/** Uploads a file while it is read. */
export async function send(
  client: Client,
  path: string,
  { alt, purpose }: CreateMedia,
  timeoutMs = uploadMs,
): Promise<MediaDetails | { id: string }> {
  const body = new FormData();
  if (alt !== undefined) body.append("alt", alt);
  if (purpose !== undefined) body.append("purpose", purpose);
  body.append("file", await openFile(path), basename(path));
  const { data, response } = await client.media.create({ body }, { timeoutMs }).withResponse();
  const id = response.headers.get("location")?.split("/").at(-1) ?? "";
  return data ?? { id };
}

/** A file that is read while it is sent. */
export async function openFile(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new InputError(`${path} is no file.`);
    return await openAsBlob(path);
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(path, error);
  }
}

/**
 * Waits until media are ready.
 * @throws {InputError} if they are rejected, with the reason.
 */
export async function awaitReady(client: Client, sent: MediaDetails, path: string): Promise<MediaDetails> {
  let media = sent;
  const end = performance.now() + readyMs;
  for (let askMs = firstAskMs; media.status === "processing"; askMs = Math.min(lastAskMs, 2 * askMs)) {
    if (performance.now() > end)
      throw new InputError(
        `${path} is uploaded as ${media.id}, and still processed. Ask later for its status.`,
      );
    await delay(askMs);
    media = await client.media.get({ id: media.id });
  }
  if (media.status === "rejected")
    throw new InputError(`${path} was rejected: ${media.rejectReason ?? "no reason is given"}`);
  return media;
}

/**
 * Uploads a file and waits until it is ready: what is rejected is attached to nothing.
 * @param timeoutMs for a client that waits for its turn, which knows itself how long an upload may take.
 */
export async function sendReady(
  client: Client,
  path: string,
  about: CreateMedia = {},
  timeoutMs?: number,
): Promise<{ mediaId: string }> {
  const media = await send(client, path, about, timeoutMs);
  return { mediaId: ("status" in media ? await awaitReady(client, media, path) : media).id };
}

/** The ids of media that a command names by their ids, or by files that are uploaded for it. */
export async function mediaIdsOf(client: Client, named: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of named) {
    if (/^med_[0-9a-hjkmnp-tv-z]{26}$/.test(name)) ids.push(name);
    else ids.push((await sendReady(client, name)).mediaId);
  }
  return ids;
}

/** An error about what cannot be shown, with the way in which a command sends it as a file. */
export function advised(error: Error, instead: string): Error {
  if ((error as { code?: unknown }).code === "unsupported_media_type")
    error.message = error.message.replace("send purpose=file", instead);
  return error;
}
