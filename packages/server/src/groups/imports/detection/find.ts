import type { ImportSource } from "@promptreg/core";
import { NearIndex } from "@promptreg/core/imports";
import type { Material } from "../sources/index.ts";
import { type FoundItem, findItems, maxWarnings, short } from "./items.ts";
import { openMaterial } from "./open.ts";
import { findNear, type NearPrompt } from "./own.ts";

/** Where to look for prompts. */
export interface Task {
  material: Material;
  isPaste: boolean;
  /** The file with the texts of the account's own prompts. */
  own: string;
  /** How many items are found at most. */
  most: number;
}

/** What is known once all items were found. */
export interface Ending {
  warnings: string[];
  found: Partial<ImportSource>;
  near: NearPrompt[];
}

/** What becomes of items, and what others get in between. */
export interface Finding {
  onItems: (items: FoundItem[]) => Promise<void>;
  /** Called after each piece of work, found or not. */
  rest: () => Promise<void>;
}

/** Items that go together: many small ones, or a large one. */
const batch = { items: 50, size: 1_000_000 };

/**
 * Finds the prompts in material.
 * @throws {ArchiveError} if it cannot be read.
 */
export async function find(
  { material, isPaste, own, most }: Task,
  { onItems, rest }: Finding,
): Promise<Ending> {
  const source = await openMaterial(material);
  let items: FoundItem[] = [];
  let size = 0;
  const near = new NearIndex();
  const found = findItems(source, { isPaste, isNamed: source.isNamed, near, most, rest });
  try {
    for (;;) {
      const next = await found.next();
      if (next.done) {
        if (items.length > 0) await onItems(items);
        const warnings = short([...next.value, ...source.warnings], maxWarnings);
        return { warnings, found: source.found, near: await findNear(near, own, rest) };
      }
      items.push(next.value);
      size += next.value.content.length;
      if (items.length < batch.items && size < batch.size) continue;
      await onItems(items);
      [items, size] = [[], 0];
    }
  } finally {
    await source.close();
  }
}
