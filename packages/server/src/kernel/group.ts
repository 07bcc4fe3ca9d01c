import type { Contract, GroupName, groups, Kind } from "@promptreg/core";
import type { Fragment, Sql } from "../database/sql.ts";
import type { Handlers } from "./handler.ts";
import type { ServerContext } from "./server-context.ts";
import type { TargetKinds } from "./target.ts";

/** What a group does beside requests, in a process that works. */
export interface GroupWork {
  /** Jobs by their name in the queue; each can run twice. */
  tasks?: Record<string, (payload: never) => Promise<unknown>>;
  everyMinute?(): Promise<unknown>;
  hourly?(): Promise<unknown>;
  /** Every ten seconds: looks for what no job will wake; `overdueSeconds` is how long it may have waited. */
  sweep?(options?: { overdueSeconds: number }): Promise<unknown>;
  /** Resolves when what its jobs set going has ended. */
  idle?(): Promise<void>;
  /** Lets what is under way end. */
  stop?(): Promise<void>;
}

/** Something that people do with prompts and that lets these trend. */
export interface Trend {
  /** How much it counts, once a person. */
  weight: number;
  /** Who did it with which of these prompts since a time: a statement that gives `prompt_id` and `user_id`, also several times. */
  acts(sql: Sql, wanted: { promptIds: readonly string[]; since: Fragment }): Fragment;
}

/** What a group of operations brings to the server. */
export type ServerGroup<G extends GroupName> = {
  handlers: Handlers<Contract[G]>;
  /** What people do with prompts by it, where that lets these trend. */
  trend?: Trend;
  /** Called once in a process that works, with what all groups bring to the work of one. */
  work?(server: ServerContext, brought: { trends: readonly Trend[] }): GroupWork;
} & TargetsOf<(typeof groups)[G]>;

/** How each kind of target that a group brings is found. */
type TargetsOf<Brings> = Brings extends { targets: infer T }
  ? { targets: { [K in keyof T & Kind]: TargetKinds[K] } }
  : { targets?: never };
