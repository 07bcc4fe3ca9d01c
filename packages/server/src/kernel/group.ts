import type { Contract, GroupName, groups, Kind } from "@promptreg/core";
import type { Fragment, Sql } from "../database/sql.ts";
import type { Handlers } from "./handler.ts";
import type { ServerContext } from "./server-context.ts";
import type { TargetKinds } from "./target.ts";

/** The background work of a group, in a process that runs a worker. */
export interface GroupWork {
  /** Jobs by their name in the queue. A job can run twice. */
  tasks?: Record<string, (payload: never) => Promise<unknown>>;
  /**
   * Does what committed changes left. Called when something was committed, and each second, since nobody is told of what a
   * crash left; once at a time. With `isComplete` it looks for what is old too.
   */
  wake?(options: { isComplete: boolean }): Promise<unknown>;
  everyMinute?(): Promise<unknown>;
  hourly?(): Promise<unknown>;
  /** Every ten seconds: finds work that no job will start, once it is overdue by `overdueSeconds`. */
  sweep?(options?: { overdueSeconds: number }): Promise<unknown>;
  /** Resolves when the work that its jobs started has ended. */
  idle?(): Promise<void>;
  /** Waits for running work to end. */
  stop?(): Promise<void>;
}

/** Something that people do with prompts and that makes them trend. */
export interface Trend {
  /** Its weight; it counts once for each person. */
  weight: number;
  /** The figure of prompts that counts those who ever did it, for lists that are sorted by it. */
  hourly?: "stars" | "installs";
  /** A statement that gives `prompt_id`, `user_id` and `at` for who did it since a time, and when; a pair may come several times. */
  acts(sql: Sql, wanted: { promptIds: readonly string[]; since: Fragment }): Fragment;
}

/** What a group of operations brings to the server. */
export type ServerGroup<G extends GroupName> = {
  handlers: Handlers<Contract[G]>;
  /** What people do in this group that makes prompts trend. */
  trend?: Trend;
  /** Called once in a process that runs a worker. `brought` is what all groups bring. */
  work?(server: ServerContext, brought: { trends: readonly Trend[] }): GroupWork;
} & TargetsOf<(typeof groups)[G]>;

/** How to find each kind of target that a group brings. */
type TargetsOf<Brings> = Brings extends { targets: infer T }
  ? { targets: { [K in keyof T & Kind]: TargetKinds[K] } }
  : { targets?: never };
