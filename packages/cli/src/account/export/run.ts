import type { Media, Me } from "@promptreg/client";
import { absent, CheckError, InputError } from "../../errors.ts";
import type { Client } from "../../requests/client.ts";
import type { Entries, Spool } from "./entries.ts";
import { spooledEntry } from "./entries.ts";

/** What the parts of an export share. */
export interface Exporting {
  client: Client;
  me: Me;
  spool: Spool;
  /** Gets what an address of the registry leads to, without the token. */
  get: (url: string) => Promise<Response>;
  /** How many there are of each thing so far. */
  counts: Record<string, number>;
  /** Notes what is not in the archive, and why. */
  leaveOut: (what: string, why: string) => void;
}

export const count = ({ counts }: Exporting, thing: string): void => {
  counts[thing] = (counts[thing] ?? 0) + 1;
};

const attempts = 3;

/** Puts media into the archive as the registry serves them. What is not ready, or cannot be had, is left out. */
export async function* mediaEntry(
  run: Exporting,
  path: string,
  media: Media,
  done: () => void = () => {},
): Entries {
  const { url, status, sha256 } = media;
  if (url === null) {
    run.leaveOut(path, `the ${media.kind} is ${status}`);
    return;
  }
  const response = await run.get(url);
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    run.leaveOut(path, `the ${media.kind} is not there`);
    return;
  }
  yield* downloadEntry(run, path, { response, sha256 });
  done();
}

/** Puts what is downloaded into the archive, if it is what the registry describes. */
export async function* downloadEntry(
  run: Exporting,
  path: string,
  { response, sha256 }: { response: Response; sha256: string | null },
): Entries {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new InputError(`${path} cannot be downloaded: the server answered with ${response.status}.`);
  }
  const kept = await run.spool.keep(response.body as AsyncIterable<Uint8Array>);
  if (sha256 !== null && kept.sha256 !== sha256)
    throw new CheckError(`What came of ${path} is not what the registry describes. Nothing is written.`);
  yield* spooledEntry(path, kept);
}

/** The items of a list that begins with the newest, the oldest first: an import brings them in the order in which they came about. */
export async function oldestFirst<Item, Kept>(
  list: AsyncIterable<Item>,
  keep: (item: Item) => Kept,
): Promise<Kept[]> {
  const all: Kept[] = [];
  for await (const item of list) all.push(keep(item));
  return all.reverse();
}

/** Reads something that a list named. What was deleted since is left out. */
export const unlessGone = async <Result>(
  run: Exporting,
  what: string,
  read: Promise<Result>,
): Promise<Result | null> => {
  const found = await read.catch(absent);
  if (found === null) run.leaveOut(what, "it was deleted during the export");
  return found;
};

/** Tries to get something again where the connection broke. */
export async function persistently<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof TypeError) || attempt === attempts) throw error;
    }
  }
}
