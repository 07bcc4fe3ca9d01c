import { join } from "node:path";
import { limits } from "@promptreg/core";
import type { ServerContext } from "../../../kernel/server-context.ts";
import { Turns } from "../../../kernel/turns.ts";
import { notifyAccount } from "../../notifications/index.ts";
import { withFolder } from "../folders.ts";
import { endImport } from "../imports.sql.ts";
import { gather } from "../sources/gather.ts";
import { SourceError } from "../sources/index.ts";
import { type Held, lockHeld } from "../work.sql.ts";
import { deleteItems, insertItems, makeReady } from "./found.sql.ts";
import { markDuplicates } from "./duplicates.sql.ts";
import { writeOwn } from "./own.ts";
import type { FoundItem } from "./items.ts";
import { type Ending, runDetection } from "./run.ts";

/** A download that takes longer is no honest one, nor is a detection: a gibibyte takes seconds. */
const maxMs = 120_000;
/** So many detections run in a process at once, since each uses a core. The others wait as long as it takes. */
const turns = new Turns(2, 2 ** 31 - 1);

/**
 * Finds the prompts of a held import. Ends early once the signal aborts: the import was cancelled, or the process stops.
 * @throws whatever is not the fault of the source.
 */
export async function detectImport(
  server: ServerContext,
  held: Held,
  { signal, timeoutMs = maxMs, heapMb }: { signal: AbortSignal; timeoutMs?: number; heapMb?: number },
): Promise<void> {
  try {
    await find(server, held, { signal, timeoutMs, heapMb });
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof SourceError)) throw error;
    await failImport(server, held, error.message);
  }
}

/** @throws {SourceError} if the work takes longer. */
async function within<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(ms);
  try {
    return await work(AbortSignal.any([signal, timeout]));
  } catch (error) {
    throw timeout.aborted && !signal.aborted ? new SourceError(tooLong) : error;
  }
}

const tooLong = "Looking for prompts took too long. Import the files in parts.";

async function find(
  server: ServerContext,
  held: Held,
  { signal, timeoutMs, heapMb }: { signal: AbortSignal; timeoutMs: number; heapMb: number | undefined },
): Promise<void> {
  const { sql } = server;
  await deleteItems(sql, held.id);
  await withFolder(async (folder) => {
    const { material, found = {} } = await within(timeoutMs, signal, (signal) =>
      gather(held, { server, folder, signal }),
    );
    const own = join(folder, "own.jsonl");
    await writeOwn(sql, { userId: held.userId, file: own, signal });
    const lost = new AbortController();
    let position = 0;
    const task = { material, isPaste: held.source.type === "paste", own, most: limits.itemsPerImport };
    const onItems = async (items: readonly FoundItem[]) => {
      if (!(await insertItems(sql, held, { items, position }))) lost.abort();
      position += items.length;
    };
    const ending = await turns
      .take("", () =>
        within(timeoutMs, AbortSignal.any([signal, lost.signal]), (signal) =>
          runDetection(task, { signal, heapMb, onItems }),
        ),
      )
      .catch((error: unknown) => {
        if (lost.signal.aborted) return null;
        throw error;
      });
    if (ending === null) return;
    await finish(server, held, { ...ending, found: { ...found, ...ending.found } });
  });
}

const finish = (server: ServerContext, held: Held, result: Ending): Promise<void> =>
  server.sql.begin(async (sql) => {
    if (!(await lockHeld(sql, held))) return;
    const { id, userId, source } = held;
    await markDuplicates(sql, { importId: id, userId, near: result.near });
    const detected = await makeReady(sql, id, result);
    await notifyAccount(sql, server, {
      type: "import.ready",
      userId,
      data: { id, label: source.label, detected, url: `${server.publicUrl}/api/v1/imports/${id}` },
    });
  });

/** Ends a held import with a sentence for its owner. */
export const failImport = ({ sql }: ServerContext, held: Held, error: string): Promise<void> =>
  sql.begin(async (tx) => {
    if (await lockHeld(tx, held)) await endImport(tx, held.id, { status: "failed", error });
  });
