import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Place, PlaceArchive } from "@promptreg/core/imports";
import { InputError, Interrupted } from "../../errors.ts";
import type { Context } from "../../settings/context.ts";
import { sizeOf } from "../../terminal/text.ts";

/** A file that was downloaded. */
export interface Downloaded {
  file: string;
  /** What its prompts come from. */
  name: string;
  /** In a repository, the folder that was asked for. */
  path: string;
  isRepository: boolean;
}

const maxBytes = 200 * 1024 * 1024;

/**
 * Downloads what an address leads to. A repository comes as an archive of its files, without git.
 * @throws {InputError} if it is not there, is no file, or is too large.
 */
export async function download(
  context: Context,
  place: Place,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<Downloaded> {
  const { name } = place;
  if (place.type === "url") {
    const response = await get(context, place.url, signal);
    if (response === null) throw new InputError(`${name} is not there (404).`);
    if (/^text\/html\b/i.test(response.headers.get("content-type") ?? ""))
      throw new InputError(`${name} is a web page. Name the file itself, such as its raw address.`);
    await keep(context, response, { name, file, signal });
    return { file, name, path: "", isRepository: false };
  }
  const { response, archive } = await first(context, place.archives, signal);
  if (response === null)
    throw new InputError(
      `${name} is not there, has no such branch, or is not public. Clone a private repository, and import its folder.`,
    );
  await keep(context, response, { name, file, signal });
  return { file, name, path: archive.path, isRepository: true };
}

async function first(context: Context, archives: readonly PlaceArchive[], signal: AbortSignal) {
  for (const archive of archives) {
    const response = await get(context, archive.url, signal);
    if (response !== null) return { response, archive };
  }
  return { response: null };
}

/** Null if there is nothing. */
async function get({ fetch }: Context, url: string, signal: AbortSignal): Promise<Response | null> {
  const { host } = new URL(url);
  const response = await fetch(url, { signal, headers: { "user-agent": "promptreg" } }).catch(
    (error: Error) => {
      if (signal.aborted) throw new Interrupted("Nothing was written.");
      const { message } = error.cause instanceof Error ? error.cause : error;
      throw new InputError(`${host} cannot be reached: ${message}.`);
    },
  );
  if (response.ok) return response;
  await response.body?.cancel().catch(() => undefined);
  if (response.status === 404 || response.status === 410) return null;
  throw new InputError(`${host} answered with ${response.status}. Nothing was written.`);
}

async function keep(
  { output }: Context,
  { body }: Response,
  { name, file, signal }: { name: string; file: string; signal: AbortSignal },
): Promise<void> {
  let size = 0;
  const progress = output.progress(() => `${name}: ${sizeOf(size)}`);
  async function* counted() {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw new InputError(`${name} is larger than ${maxBytes / 1024 / 1024} MiB.`);
      yield chunk;
    }
  }
  try {
    await pipeline(counted, createWriteStream(file, { flags: "wx", mode: 0o600 }), { signal });
  } catch (error) {
    if (signal.aborted) throw new Interrupted("Nothing was written.");
    if (error instanceof InputError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new InputError(`${name} broke off after ${size} bytes: ${(error as Error).message}.`);
  } finally {
    progress.end();
    await body?.cancel().catch(() => undefined);
  }
}
