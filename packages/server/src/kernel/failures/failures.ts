import type { Logger } from "pino";
import { asApiError } from "./as-api-error.ts";
import type { Readiness } from "./readiness.ts";

/** What failed: the operation of a request, or the task of a job. The other fields are those of the latest failure. */
export interface Failure {
  operation: string;
  requestId?: string;
  status?: number;
  ms?: number;
  webhookId?: string;
}

/** Logs failures. Failures of one kind share one line a second, with their count. */
export interface Failures {
  report(error: unknown, failure: Failure): void;
  /** Writes the lines that still wait. */
  stop(): void;
}

const periodMs = 1_000;
const kindsAtMost = 100;

interface Kind {
  count: number;
  error: unknown;
  failure: Failure;
}

export function openFailures(log: Logger, readiness: Readiness): Failures {
  /** Kinds that failed in the last period, with the number of failures since their last line. */
  const kinds = new Map<string, Kind>();
  let writing: NodeJS.Timeout | undefined;

  return { report, stop };

  function report(error: unknown, failure: Failure): void {
    const { code } = asApiError(error);
    if (code === "unavailable") readiness.suspect();
    const name = kindOf(error, failure);
    const key = kinds.has(name) || kinds.size < kindsAtMost ? name : "others";
    const kind = kinds.get(key);
    if (kind === undefined) write({ count: 1, error, failure });
    kinds.set(key, { count: kind ? kind.count + 1 : 0, error, failure });
    writing ??= setInterval(turn, periodMs).unref();
  }

  function turn(): void {
    for (const [key, kind] of kinds) {
      if (kind.count === 0) kinds.delete(key);
      else write(kind);
      kind.count = 0;
    }
    if (kinds.size > 0) return;
    clearInterval(writing);
    writing = undefined;
  }

  function write({ count, error, failure }: Kind): void {
    const level = asApiError(error).code === "internal_error" ? "error" : "warn";
    log[level]({ ...failure, ...(count > 1 && { count }), err: error }, "failed");
  }

  function stop(): void {
    clearInterval(writing);
    turn();
  }
}

const kindOf = (error: unknown, { operation }: Failure): string => {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return `${operation} ${String(code ?? message).slice(0, 200)}`;
};
