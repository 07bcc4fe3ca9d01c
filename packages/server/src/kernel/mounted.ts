import type { About, FieldAccess, Kind, Operation } from "@promptreg/core";
import type { DetailedHandler } from "./handler.ts";
import type { ServerContext } from "./server-context.ts";
import type { TargetKind } from "./target.ts";

/** A target of an operation, and how to find each kind that it can be of. */
export interface Aim {
  about: About;
  kinds: readonly { kind: Kind; target: TargetKind<any> }[];
  /** The field that has its address, as a list of names; null for the path. */
  from: readonly string[] | null;
  isOptional: boolean;
}

/** An operation with everything needed to serve it. */
export interface Mounted {
  id: string;
  operation: Operation;
  isRead: boolean;
  isPost: boolean;
  /** The media types of its responses, the default first. */
  types: readonly string[];
  handler: DetailedHandler<any, any, any>;
  /** The process that serves it. */
  server: ServerContext;
  /** Its query has a cursor. */
  isList: boolean;
  /** Its target, if it has one. */
  aim: Aim | undefined;
  /** Further targets, by name. */
  others: readonly (readonly [name: string, aim: Aim])[];
  fields: { readonly [field: string]: FieldAccess | undefined } | undefined;
  /** The GET of the same path: a PUT or PATCH responds with its ETag. */
  read: Mounted | undefined;
}
