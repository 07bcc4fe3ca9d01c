import type { Output } from "../terminal/output.ts";

/** Says that a command waits for a registry that is away, and, called without an error, that it is back. */
export const noteOutages =
  ({ note }: Pick<Output, "note">) =>
  (error?: Error): void =>
    note(error === undefined ? "The registry is back." : `Waiting for the registry: ${error.message}`);
