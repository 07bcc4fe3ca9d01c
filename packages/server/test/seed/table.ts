import type { Registry } from "./registry.ts";

/** Null is SQL's; everything else is written as text, in the form that its column reads. */
export type Cell = string | number | boolean | null;

/** A table, the columns that are written, and its rows in the order in which they come to be. */
export interface Table {
  name: string;
  columns: readonly string[];
  rows(registry: Registry): Iterable<readonly Cell[]>;
}

export const at = (ms: number): string => new Date(ms).toISOString();
export const list = (items: readonly string[]): string => `{${items.join()}}`;
export const json = (value: unknown): string => JSON.stringify(value);
/** The text form of a bytea. */
export const hex = (bytes: string): string => `\\x${bytes}`;
export const bytesOf = (content: string): string => hex(Buffer.from(content).toString("hex"));
