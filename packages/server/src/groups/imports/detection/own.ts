import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { comparableText } from "@promptreg/core/content";
import type { NearIndex } from "@promptreg/core/imports";
import type { ServerContext } from "../../../kernel/server-context.ts";
import { type OwnText, selectOwn } from "./own.sql.ts";

/** A prompt of the account that says nearly the same as an item. */
export interface NearPrompt {
  /** Of the item. */
  position: number;
  promptId: string;
  n: number;
  similarity: number;
}

/** So many own prompts are compared, the newest ones, and so many bytes of them. */
const mostPrompts = 5_000;
const mostBytes = 64 * 1024 * 1024;
/** Of one statement: some megabytes at most. */
const batch = 50;

/** Writes the texts of an account's prompts into a file, for the detection, which has no database. Gives its bytes. */
export async function writeOwn(
  sql: ServerContext["sql"],
  { userId, file, signal }: { userId: string; file: string; signal: AbortSignal },
): Promise<number> {
  const handle = await open(file, "wx");
  try {
    return await writeAll(sql, { userId, handle, signal });
  } finally {
    await handle.close();
  }
}

async function writeAll(
  sql: ServerContext["sql"],
  { userId, handle, signal }: { userId: string; handle: FileHandle; signal: AbortSignal },
): Promise<number> {
  let [count, bytes] = [0, 0];
  let before: string | null = null;
  while (count < mostPrompts && bytes < mostBytes) {
    signal.throwIfAborted();
    const rows: OwnText[] = await selectOwn(sql, { userId, before, take: batch });
    // Readers of lines end one at these too. They count as space.
    const lines = rows.map((row) => `${JSON.stringify(row).replace(/[\u2028\u2029]/g, " ")}\n`).join("");
    bytes += (await handle.write(lines)).bytesWritten;
    count += rows.length;
    before = rows.at(-1)?.promptId ?? null;
    if (rows.length < batch) break;
  }
  return bytes;
}

/** Finds the prompts in such a file that say nearly the same as items do. */
export async function findNear(
  items: NearIndex,
  file: string,
  rest: () => Promise<void>,
): Promise<NearPrompt[]> {
  const found: NearPrompt[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const { promptId, n, kind, entry } = JSON.parse(line) as OwnText;
    for (const { id, similarity } of items.find(comparableText(kind, entry)))
      found.push({ position: Number(id), promptId, n, similarity });
    await rest();
  }
  return found;
}
