import type { Operation } from "@promptreg/core";
import type { DetailedHandler } from "./handler.ts";
import type { Target } from "./target.ts";

/** An operation with all that serving it takes. */
export interface Mounted {
  id: string;
  operation: Operation;
  /** The media types it can answer in, its default first. */
  types: readonly string[];
  handler: DetailedHandler<any, any, any>;
  /** Its query has a cursor. */
  isList: boolean;
  /** The target it acts on, if it has one. */
  target: Target<any> | undefined;
}
