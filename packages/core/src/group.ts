import type { EventDefinition } from "./event.ts";
import type { Describe } from "./notification.ts";
import type { TargetKinds } from "./target.ts";

/**
 * What a group brings beside its operations. Everything else finds it here, by way of `groups.ts`. Its errors stand in its
 * `errors.ts`, because clients load those without schemas.
 */
export interface Group {
  /** Its name in the documentation. */
  title: string;
  description: string;
  /** The prefixes of the ids of its things: three letters. */
  ids?: readonly string[];
  /** The kinds of things that operations act on, with their roles. */
  targets?: TargetKinds;
  /** Its events by name. */
  events?: Readonly<Record<string, EventDefinition>>;
  /** The words of its notifications by type: of each of its events but `ping`, and of what is no event. */
  notifications?: Readonly<Record<string, Describe<never>>>;
  /** The types of the things that its notifications are about. */
  notificationTargets?: readonly string[];
  /** How many there may be of what grows. */
  limits?: Readonly<Record<string, number>>;
}

/** Errors by code: the status, and a sentence for people that says what happened and what to do. */
export type ErrorTable = Readonly<Record<string, { status: number; message: string }>>;
