import { once } from "node:events";
import process from "node:process";
import type { ImportSource } from "@promptreg/core";
import { ArchiveError } from "@promptreg/core/archives";
import { NearIndex } from "@promptreg/core/imports";
import type { Material } from "../sources/index.ts";
import { type FoundItem, findItems, maxWarnings, short } from "./items.ts";
import { openMaterial } from "./open.ts";
import { findNear, type NearPrompt } from "./own.ts";

/** What the process is given. */
export interface Task {
  material: Material;
  isPaste: boolean;
  /** The file with the texts of the account's own prompts. */
  own: string;
  /** How many items are found at most. */
  most: number;
}

/** What the process says. After `items` it waits until they were written. */
export type Report =
  | { type: "items"; items: FoundItem[] }
  | { type: "end"; warnings: string[]; found: Partial<ImportSource>; near: NearPrompt[] }
  /** The material cannot be read. */
  | { type: "refused"; message: string }
  /** The fault is ours. */
  | { type: "broken"; stack: string };

/** Items of one message: many small ones, or a large one. */
const batch = { items: 50, size: 1_000_000 };

async function work({ material, isPaste, own, most }: Task): Promise<void> {
  const source = await openMaterial(material);
  let items: FoundItem[] = [];
  let size = 0;
  const send = async () => {
    report({ type: "items", items });
    [items, size] = [[], 0];
    await once(process, "message");
  };
  const near = new NearIndex();
  const found = findItems(source, { isPaste, isNamed: source.isNamed, near, most });
  for (;;) {
    const next = await found.next();
    if (next.done) {
      if (items.length > 0) await send();
      await source.close();
      const warnings = short([...next.value, ...source.warnings], maxWarnings);
      report({ type: "end", warnings, found: source.found, near: await findNear(near, own) });
      return;
    }
    items.push(next.value);
    size += next.value.content.length;
    if (items.length === batch.items || size >= batch.size) await send();
  }
}

const report = (message: Report) => process.send!(message);

// Ctrl-C in a terminal reaches us too. Whoever started us ends us, and is there no more where the channel is closed.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit());

const [task] = (await once(process, "message")) as [Task];
try {
  await work(task);
} catch (error) {
  if (error instanceof ArchiveError) report({ type: "refused", message: error.message });
  else report({ type: "broken", stack: (error as Error).stack ?? String(error) });
}
