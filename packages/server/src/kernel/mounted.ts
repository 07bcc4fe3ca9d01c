import type { About, FieldAccess, Kind, Operation } from "@promptreg/core";
import type { DetailedHandler } from "./handler.ts";
import type { TargetKind } from "./target.ts";

/** A thing that an operation is about, with how each kind that it can be of is found. */
export interface Aim {
  about: About;
  kinds: readonly { kind: Kind; target: TargetKind<any> }[];
  /** Where its address stands, as the steps to it; null for the path. */
  from: readonly string[] | null;
  isOptional: boolean;
}

/** An operation with all that serving it takes. */
export interface Mounted {
  id: string;
  operation: Operation;
  isRead: boolean;
  isPost: boolean;
  /** The media types it can answer in, its default first. */
  types: readonly string[];
  handler: DetailedHandler<any, any, any>;
  /** Its query has a cursor. */
  isList: boolean;
  /** The thing that it acts on, if there is one. */
  aim: Aim | undefined;
  /** What else it is about, by name. */
  others: readonly (readonly [name: string, aim: Aim])[];
  fields: { readonly [field: string]: FieldAccess | undefined } | undefined;
  /** The GET at the same path: its ETag is that of what a PUT or PATCH left there. */
  read: Mounted | undefined;
}
