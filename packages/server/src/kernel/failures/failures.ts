import type { ErrorCode } from "@promptreg/core/errors";
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
  mediaId?: string;
  /** From where a request came that was refused, as limits count it. */
  network?: string;
}

/** Logs failures, and refusals that come in storms. Those of one kind share one line a second, with their count. */
export interface Failures {
  report(error: unknown, failure: Failure): void;
  /** Logs a refusal, if it is one that an operator should hear of: others are the caller's alone. */
  refuse(code: string, failure: Failure): void;
  /** Writes the lines that still wait. */
  stop(): void;
}

const periodMs = 1_000;
const kindsAtMost = 100;

/** Wrong tokens are tried, or somebody is over a limit. */
const stormy = new Set<string>(["invalid_token", "rate_limited"] satisfies ErrorCode[]);

interface Kind {
  count: number;
  line: Line;
}

/** What is logged of the latest failure of a kind. */
interface Line {
  level: "error" | "warn" | "info";
  message: "failed" | "refused";
  fields: object;
}

export function openFailures(log: Logger, readiness: Pick<Readiness, "suspect">): Failures {
  /** Kinds that failed in the last period, with the number of failures since their last line. */
  const kinds = new Map<string, Kind>();
  let writing: NodeJS.Timeout | undefined;

  return { report, refuse, stop };

  function report(error: unknown, failure: Failure): void {
    const { code } = asApiError(error);
    if (code === "unavailable") readiness.suspect();
    const level = code === "internal_error" ? "error" : "warn";
    note(kindOf(error, failure), { level, message: "failed", fields: { ...failure, err: error } });
  }

  function refuse(code: string, failure: Failure): void {
    if (!stormy.has(code)) return;
    // One line for all operations: who tries tokens, or asks too often, does so everywhere.
    note(`refused ${code}`, { level: "info", message: "refused", fields: { code, ...failure } });
  }

  function note(name: string, line: Line): void {
    const key = kinds.has(name) || kinds.size < kindsAtMost ? name : "others";
    const kind = kinds.get(key);
    if (kind === undefined) write({ count: 1, line });
    kinds.set(key, { count: kind ? kind.count + 1 : 0, line });
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

  function write({ count, line: { level, message, fields } }: Kind): void {
    log[level]({ ...(count > 1 && { count }), ...fields }, message);
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
