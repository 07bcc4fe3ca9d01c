import type { Contract, Kind } from "@promptreg/core";
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

/** What a group of operations brings to the server. */
export interface ServerGroup<G extends keyof Contract> {
  handlers: Handlers<Contract[G]>;
  /** How the kinds of targets that it brings are found. */
  targets?: { [K in Kind]?: TargetKinds[K] };
  /** Called once in a process that works. */
  work?(server: ServerContext): GroupWork;
}
