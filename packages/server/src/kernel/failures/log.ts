import pino, { type DestinationStream, type Logger } from "pino";
import { asApiError } from "./as-api-error.ts";

/** Logs one JSON object a line, without any data from the database. */
export const openLog = (
  destination: DestinationStream = pino.destination(2),
  level = process.env["LOG_LEVEL"] || "info",
): Logger => pino({ name: "promptreg", level, serializers: { err: describeError } }, destination);

interface Described {
  code?: unknown;
  severity?: unknown;
  table_name?: unknown;
  table?: unknown;
  constraint_name?: unknown;
  constraint?: unknown;
  routine?: unknown;
  query?: unknown;
  errors?: unknown;
}

/** Errors of a statement that did not get what it needs in time: its own time, a lock, memory or disk. */
const outOfTime = /^(57014|40|53|54|55)/;

/** The beginning of a statement, without the values that may stand in it. */
const outlineOf = (statement: string): string =>
  statement
    .slice(0, 2_000)
    .replace(/'[^']*'?/g, "''")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300);

/** SQLSTATE classes whose messages never quote a value. */
const plainClasses = /^(08|23|25|28|3[BDF]|40|42|53|55|57|58)/;

/**
 * An error as it is logged. A database error loses its details, hints and context, because they contain values. It
 * also loses its message if that may quote one. Of a statement that took too long, the beginning is logged.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, severity, table_name, table, constraint_name, constraint, routine, query, errors } =
    error as Described;
  const isOfDatabase = typeof severity === "string";
  const mayQuote = isOfDatabase && !plainClasses.test(String(code));
  return {
    type: error.name,
    ...(!mayQuote && { message: error.message }),
    code,
    ...(isOfDatabase && {
      severity,
      table: table_name ?? table,
      constraint: constraint_name ?? constraint,
      routine,
      ...(typeof query === "string" && outOfTime.test(String(code)) && { statement: outlineOf(query) }),
    }),
    // Only the frames: the lines above them repeat the message.
    stack: error.stack?.match(/^ +at [^]*/m)?.[0],
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
    ...(Array.isArray(errors) && { errors: errors.map(describeError) }),
  };
}

/** Sends warnings of Node and output of dependencies to the log. Logs lost connections instead of ending the process. */
export function takeOver(log: Logger): void {
  process.removeAllListeners("warning").on("warning", (err) => log.warn({ err }, "Node warning"));
  for (const method of ["debug", "log", "info", "warn", "error", "trace"] as const) {
    console[method] = (...said: unknown[]) => {
      const err = said.find((one) => one instanceof Error);
      log.warn({ err }, said.filter((one) => typeof one === "string").join(" ") || "output of a dependency");
    };
  }
  surviveLogins((error) => log.warn({ err: error }, "a database connection was lost right after login"));
}

/**
 * Keeps a connection that is lost right after its login from ending the process: postgres.js then reads types with a statement of its
 * own, whose failure nobody can catch. Whoever waits for the connection hears of it anyway. Gives what ends this.
 */
export function surviveLogins(report: (error: unknown) => void): () => void {
  const onRejection = (error: unknown) => {
    if (asApiError(error).code !== "unavailable") throw error;
    report(error);
  };
  process.on("unhandledRejection", onRejection);
  return () => void process.off("unhandledRejection", onRejection);
}
