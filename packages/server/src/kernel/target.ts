import type { Kind } from "@promptreg/core";
import type { ApiError } from "@promptreg/core/errors";
import type { Fragment, Sql } from "../database/sql.ts";
import type { Caller } from "./caller.ts";

/** The rows that kinds of targets load. Each group adds its own by declaration merging, so that it can be deleted whole. */
export interface Targets {}

/** The row of a kind; of several kinds, told apart by `type`. */
export type RowOf<K extends Kind> = K extends keyof Targets ? Targets[K] & { type: K } : never;

/** What a loader is asked for. */
export interface LoadRequest<Address> {
  address: Address;
  caller: Fragment;
}
/** The row of any target, as far as the kernel reads it. */
export interface AnyRow {
  id?: string;
  /** What `If-Match` compares. */
  revision?: string;
  /** What the answer of a read shows, where its handler says so. */
  state?: string;
}

export interface Loaded<Row> {
  caller: Caller | null;
  target: Row | null;
  /** The parameters under which the target is found now, where the ones that were asked for are its former address. */
  movedTo?: Record<string, string>;
}

/**
 * `gone` is what was deleted and could have been seen; `hidden` looks the same as what never was. An error says what is
 * missing below something that can be seen.
 */
export type Visibility = "visible" | "gone" | "hidden" | ApiError;

/** How one kind of target is found, who sees it, and what a caller is to it. */
export interface TargetKind<Row extends object, Address = any> {
  /** Reads an address that stands in a field instead of the path. @throws {SyntaxError} */
  parse?(text: string): Address;
  /** Its alias in `from`, for the row lock of a write. */
  alias: string;
  /** `from … where …`: it and what its row needs beside it. */
  from(sql: Sql, address: Address): Fragment;
  /** The columns of its row; `revision` is what `If-Match` compares and ETags begin with. */
  columns(sql: Sql): Fragment;
  /** Locks what it hangs on, always before itself. `lockedBy` names that too. */
  lockFirst?(sql: Sql, address: Address): PromiseLike<unknown>;
  /** The row that writes about it lock first, as its kind and id; itself when absent. */
  lockedBy?(row: Row): string;
  /** The address, now, of what once stood at this one; null where nothing did. Asked only when nothing is found. */
  whereNow?(sql: Sql, address: Address): Promise<Record<string, string> | null>;
  visibility(row: Row, caller: Pick<Caller, "id" | "role"> | null): Visibility;
  /** What the caller is to it, beside `moderator` and `admin`, which an account is to everything. */
  roles(row: Row, caller: Caller): readonly string[];
}

/** One for each kind of the contract. */
export type TargetKinds = { [K in Kind]: K extends keyof Targets ? TargetKind<Targets[K]> : never };
