import pino, { type DestinationStream, type Logger } from "pino";
import { asApiError } from "./respond.ts";

/** A log of one JSON object a line, without what rows of the database hold. */
export const openLog = (destination: DestinationStream = pino.destination(2)): Logger =>
  pino(
    { name: "promptreg", level: process.env["LOG_LEVEL"] || "info", serializers: { err: describeError } },
    destination,
  );

interface Described {
  code?: unknown;
  severity?: unknown;
  table_name?: unknown;
  table?: unknown;
  constraint_name?: unknown;
  constraint?: unknown;
  routine?: unknown;
  errors?: unknown;
}

/** SQLSTATE classes whose messages name parts of the system, and never quote a value. */
const plainClasses = /^(08|23|25|28|3[BDF]|40|42|53|55|57|58)/;

/**
 * An error as it is logged. Of a database's, details, hints, context and the statement stay away, since they hold
 * values; so does the message where it may quote one.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, severity, table_name, table, constraint_name, constraint, routine, errors } =
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
    }),
    // Its frames alone: above them stands the message.
    stack: error.stack?.slice(error.stack.search(/^ +at /m)),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
    ...(Array.isArray(errors) && { errors: errors.map(describeError) }),
  };
}

/** Has what others would print between the lines of the log, or die of, written into it. */
export function takeOver(log: Logger): void {
  process.removeAllListeners("warning").on("warning", (err) => log.warn({ err }, "a warning of Node"));
  for (const method of ["debug", "log", "info", "warn", "error", "trace"] as const) {
    console[method] = (...said: unknown[]) => {
      const err = said.find((one) => one instanceof Error);
      log.warn(
        { err },
        said.filter((one) => typeof one === "string").join(" ") || "a dependency said something",
      );
    };
  }
  // postgres.js lets nobody hear that its own statement failed, by which it learns of types after each login.
  process.on("unhandledRejection", (error) => {
    if (asApiError(error).code !== "unavailable") throw error;
    log.warn({ err: error }, "a connection was lost at its beginning");
  });
}
