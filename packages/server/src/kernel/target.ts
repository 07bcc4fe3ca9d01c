import { apiError } from "@promptreg/core/errors";
import type { Access, Role, TargetName } from "@promptreg/core";
import type { Fragment, Sql } from "../database/sql.ts";
import type { Caller } from "./caller.ts";

/** The rows that targets load. Each group adds its own by declaration merging, so that it can be deleted whole. */
export interface Targets {}

/** What a loader is asked for; `lock` holds the target until the transaction ends. */
export interface LoadRequest<Address> {
  address: Address;
  caller: Fragment;
  lock: boolean;
}
export interface Loaded<Row> {
  caller: Caller | null;
  target: Row | null;
  /** The parameters under which the target is found now, where the ones that were asked for are its former address. */
  movedTo?: Record<string, string>;
}

/** How one kind of target is found, and who may see it. */
export interface Target<Row, Address = any> {
  /** Reads an address that stands in a body or query instead of the path. */
  parse?(text: string): Address;
  /** Loads caller and target in one statement. */
  load(sql: Sql, request: LoadRequest<Address>): Promise<Loaded<Row>>;
  /** The address, now, of what once stood at this one; null where nothing did. Asked only when `load` finds nothing. */
  whereNow?(sql: Sql, address: Address): Promise<Record<string, string> | null>;
  /** `gone` is what was deleted and could have been seen; `hidden` looks the same as what never was. */
  sight(row: Row, caller: Caller | null): "seen" | "gone" | "hidden";
  /** What the caller is to it. */
  roles(row: Row, caller: Caller): Role[];
}

/** One loader for each name that the contract can put in `on`. */
export type TargetLoaders = {
  [N in TargetName]: N extends keyof Targets ? Target<Targets[N]> : never;
};

/**
 * Lets a caller pass who may act on the target.
 * @throws {ApiError} `not_found` for what the caller may not know of, `gone`, or `forbidden` for what they can see.
 */
export function authorize<Row>(
  { allow }: Access,
  target: Target<Row>,
  row: Row | null,
  caller: Caller | null,
): Row {
  const sight = row === null ? "hidden" : target.sight(row, caller);
  if (row === null || sight === "hidden") throw apiError("not_found");
  if (sight === "gone") throw apiError("gone");
  if (allow && !(caller && target.roles(row, caller).some((role) => allow.includes(role)))) {
    throw apiError("forbidden");
  }
  return row;
}
