import type { EventDefinition } from "./event.ts";
import type { Describe } from "./notification.ts";
import type { TargetKinds } from "./target.ts";

/**
 * What a group defines in addition to its operations. All other code reads it here, through `groups.ts`. Its errors stand in
 * `errors.ts`, since clients load those without schemas.
 */
export interface Group {
  /** Its name in the documentation. */
  title: string;
  description: string;
  /** The prefixes of its ids: three letters. */
  ids?: readonly string[];
  /** The kinds of targets, with their roles. */
  targets?: TargetKinds;
  /** Its events by name. */
  events?: Readonly<Record<string, EventDefinition>>;
  /** The texts of its notifications by type: of each of its events except `ping`, and of what is no event. */
  notifications?: Readonly<Record<string, Describe<never>>>;
  /** The types of the targets of its notifications. */
  notificationTargets?: readonly string[];
  /** The limits of what grows. */
  limits?: Readonly<Record<string, number>>;
}

/** Errors by code: the status, and a message for people that says what happened and what to do. */
export type ErrorTable = Readonly<Record<string, { status: number; message: string }>>;
