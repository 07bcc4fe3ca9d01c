import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { limits } from "@promptreg/core";
import { ArchiveError } from "@promptreg/core/archives";
import type { ServerContext } from "../../../kernel/server-context.ts";
import { notifyAccounts } from "../../notifications/index.ts";
import { withFolder } from "../folders.ts";
import { endImport } from "../imports.sql.ts";
import { gather } from "../sources/gather.ts";
import { SourceError } from "../sources/index.ts";
import { type Held, lockHeld, recordWork } from "../work.sql.ts";
import { markDuplicates } from "./duplicates.sql.ts";
import { type Ending, find, type Finding, type Task } from "./find.ts";
import { deleteItems, insertItems, makeReady } from "./found.sql.ts";
import { writeOwn } from "./own.ts";
import { runDetection } from "./run.ts";
import { type Slice, Slices } from "./slices.ts";

/** A download that takes longer is no honest one. */
const maxDownloadMs = 120_000;
/** What an import may use of the processor, for which a gibibyte needs seconds; and all of an account in an hour. */
const budgetMs = { import: 60_000, account: 300_000 };
/** Texts that are read here, since to start a process takes longer, and costs more. */
const maxHereBytes = { material: 16_384, own: 65_536 };

/** Each uses a core. */
const slices = new Slices(2);

interface Options {
  signal: AbortSignal;
  /** For the download, and for the detection. */
  limitsMs?: { download: number; work: number };
  heapMb?: number;
}

/**
 * Finds the prompts of a held import. Ends early once the signal aborts: the import was cancelled, or the process stops.
 * @throws whatever is not the fault of the source.
 */
export async function detectImport(server: ServerContext, held: Held, options: Options): Promise<void> {
  try {
    await work(server, held, options);
  } catch (error) {
    if (options.signal.aborted) return;
    if (!(error instanceof SourceError)) throw error;
    await failImport(server, held, error.message);
  }
}

async function work(
  server: ServerContext,
  held: Held,
  { signal, limitsMs = { download: maxDownloadMs, work: budgetMs.import }, heapMb }: Options,
): Promise<void> {
  if (held.usedMs > budgetMs.account) throw new SourceError(usedUp);
  const { sql } = server;
  await deleteItems(sql, held.id);
  await withFolder(async (folder) => {
    const late = AbortSignal.timeout(limitsMs.download);
    const { material, found = {} } = await gather(held, {
      server,
      folder,
      signal: AbortSignal.any([signal, late]),
    }).catch((error: unknown) => {
      throw late.aborted && !signal.aborted ? new SourceError(tooLong) : error;
    });
    const own = join(folder, "own.jsonl");
    const ownBytes = await writeOwn(sql, { userId: held.userId, file: own, signal });
    const task = { material, isPaste: held.source.type === "paste", own, most: limits.itemsPerImport };
    const isSmall =
      material.type !== "archive" &&
      (await stat(material.file)).size <= maxHereBytes.material &&
      ownBytes <= maxHereBytes.own;
    let position = 0;
    const onItems: Finding["onItems"] = async (items) => {
      await insertItems(sql, held, { items, position });
      position += items.length;
    };
    const ending = isSmall
      ? await findHere(task, onItems)
      : await findInSlices(server, held, task, { onItems, signal, maxMs: limitsMs.work, heapMb });
    await finish(server, held, { ...ending, found: { ...found, ...ending.found } });
  });
}

const tooLong = "Looking for prompts took too long. Import the files in parts.";
const usedUp = `Your imports used ${budgetMs.account / 60_000} minutes of the server in the last hour. Try again later.`;

/** Finds prompts in this process, and lets requests pass after each piece of work. */
async function findHere(task: Task, onItems: Finding["onItems"]): Promise<Ending> {
  try {
    return await find(task, { onItems, rest: () => setImmediate() });
  } catch (error) {
    throw error instanceof ArchiveError ? new SourceError(error.message) : error;
  }
}

interface Sliced extends Pick<Finding, "onItems"> {
  signal: AbortSignal;
  maxMs: number;
  heapMb: number | undefined;
}

/** Finds prompts in a process of its own, in slices of the processor, which the account is charged for. */
async function findInSlices(
  { sql }: ServerContext,
  held: Held,
  task: Task,
  { onItems, signal, maxMs, heapMb }: Sliced,
): Promise<Ending> {
  const late = new AbortController();
  let slice: Slice | undefined;
  let timer: NodeJS.Timeout | undefined;
  const begin = async () => {
    slice = await slices.take(held.usedMs, signal);
    timer = setTimeout(() => late.abort(new SourceError(tooLong)), maxMs - held.workedMs);
  };
  const end = async () => {
    clearTimeout(timer);
    const ms = slice?.end() ?? 0;
    slice = undefined;
    await recordWork(sql, held, ms);
  };
  const rest = async () => {
    await end();
    await begin();
  };
  await begin();
  try {
    return await runDetection(task, {
      onItems,
      rest,
      signal: AbortSignal.any([signal, late.signal]),
      heapMb,
    });
  } finally {
    await end();
  }
}

const finish = (server: ServerContext, held: Held, result: Ending): Promise<void> =>
  server.sql.begin(async (sql) => {
    if (!(await lockHeld(sql, held))) return;
    const { id, userId, source } = held;
    await markDuplicates(sql, { importId: id, userId, near: result.near });
    const detected = await makeReady(sql, id, result);
    const data = { id, label: source.label, detected, url: `${server.publicUrl}/api/v1/imports/${id}` };
    await notifyAccounts(sql, server, "import.ready", [{ userId, data }]);
  });

/** Ends a held import with a sentence for its owner. */
export const failImport = ({ sql }: ServerContext, held: Held, error: string): Promise<void> =>
  sql.begin(async (tx) => {
    if (await lockHeld(tx, held)) await endImport(tx, held.id, { status: "failed", error });
  });
