import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CreateMedia, MediaDetails } from "@promptreg/client";
import { InputError } from "../errors.ts";
import type { Client } from "../requests/client.ts";
import { unreadable } from "../terminal/read-input.ts";

/** For the largest video on a slow line. */
const uploadMs = 600_000;
const askMs = 500;
/** Longer than any media are read. After that the worker is not there. */
const readyMs = 300_000;

/** Uploads a file while it is read. */
export async function send(
  client: Client,
  path: string,
  { alt, purpose }: CreateMedia,
): Promise<MediaDetails | { id: string }> {
  const body = new FormData();
  if (alt !== undefined) body.append("alt", alt);
  if (purpose !== undefined) body.append("purpose", purpose);
  body.append("file", await open(path), basename(path));
  const { data, response } = await client.media.create({ body }, { timeoutMs: uploadMs }).withResponse();
  const id = response.headers.get("location")?.split("/").at(-1) ?? "";
  return data ?? { id };
}

async function open(path: string): Promise<Blob> {
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
  for (const end = performance.now() + readyMs; media.status === "processing"; ) {
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

/** The ids of media that a command names by their ids, or by files that are uploaded for it. */
export async function mediaIdsOf(client: Client, named: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of named) {
    if (/^med_[0-9a-hjkmnp-tv-z]{26}$/.test(name)) ids.push(name);
    else {
      const sent = await send(client, name, {});
      if ("status" in sent) await awaitReady(client, sent, name);
      ids.push(sent.id);
    }
  }
  return ids;
}
