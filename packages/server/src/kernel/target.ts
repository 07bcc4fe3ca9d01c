import type { Kind } from "@promptreg/core";
import type { ApiError } from "@promptreg/core/errors";
import type { Piece } from "../database/columns.ts";
import type { Fragment, Sql } from "../database/sql.ts";
import type { Caller } from "./accounts/caller.ts";

/** The rows of target kinds. Each group adds its own by declaration merging, so that a group can be deleted. */
export interface Targets {}

/** The row of a kind. For several kinds, `type` names the kind. */
export type RowOf<K extends Kind> = K extends keyof Targets ? Targets[K] & { type: K } : never;

/** What a loader gets. */
export interface LoadRequest<Address> {
  address: Address;
  caller: Fragment;
}
/** The row of any target, as far as the kernel reads it. */
export interface AnyRow {
  id?: string;
  ownerId?: string;
  slug?: string;
  /** The prompt that it belongs to. */
  prompt?: { id: string; ownerId: string; slug?: string } | null;
  /** The dataset of a case. */
  dataset?: AnyRow;
  /** What `If-Match` compares. */
  revision?: string;
  /** The state of a read's response, if its handler has one. */
  state?: string;
}

export interface Loaded<Row> {
  caller: Caller | null;
  target: Row | null;
  /** The present address of the target, if the request used a former one. */
  movedTo?: Record<string, string>;
}

/**
 * `gone`: deleted, and the caller could see it. `hidden`: looks as if it never existed. An error says what is missing below
 * something visible.
 */
export type Visibility = "visible" | "gone" | "hidden" | ApiError;

/** Whoever asks; null without a token. */
export type Viewer = Pick<Caller, "id" | "role"> | null;

/** How to find one kind of target, who can see it, and which roles a caller has. */
export interface TargetKind<Row extends object, Address = any> {
  /** Reads an address from a field, if it is not in the path. @throws {SyntaxError} */
  parse?(text: string): Address;
  /** Its alias in `from`, for the row lock of a write. */
  alias: string;
  /** `from … where …`: its table, and others that its row needs. */
  from(sql: Sql, address: Address): Fragment;
  /** The columns of its row; `revision` is what `If-Match` compares and ETags begin with. */
  columns(sql: Sql): Fragment;
  /** The statements that lock what it belongs to, before itself: `for ${strength}`. `lockedBy` names that too. */
  lockFirst?(sql: Sql, address: Address, strength: Fragment): readonly PromiseLike<unknown>[];
  /** The row that writes about it lock first, as its kind and id; itself when absent. */
  lockedBy?(row: Row): string;
  /**
   * A condition that follows `from` in a read, whose caller is `asking`: false for what `visibility` says is hidden. Then
   * nobody pays for loading that, nor times it.
   */
  isKnown?: Piece;
  /**
   * The present address of the thing that had this one; null if there is none, or if it is hidden from the viewer. Called only if nothing is
   * found that is not hidden.
   */
  whereNow?(sql: Sql, address: Address, viewer: Viewer): Promise<Record<string, string> | null>;
  visibility(row: Row, viewer: Viewer): Visibility;
  /** The caller's roles, without `moderator` and `admin`, which come from the account and its token. */
  roles(row: Row, caller: Caller): readonly string[];
  /** The roles of everybody who can see it, also without an account. */
  rolesOfAll?(row: Row): readonly string[];
}

/** One for each kind of the contract. */
export type TargetKinds = { [K in Kind]: K extends keyof Targets ? TargetKind<Targets[K]> : never };
