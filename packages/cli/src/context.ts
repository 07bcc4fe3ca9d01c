import type { Client, OnAttempt } from "@promptreg/client";
import { UsageError } from "./errors.ts";
import { createOutput, type Io, type Output } from "./output.ts";

/** The options that every command has. */
export interface GlobalOptions {
  url?: string;
  json?: boolean;
  debug?: boolean;
}

/** What a command gets to work with. */
export interface Context extends Pick<Io, "env" | "stdin" | "stdout"> {
  output: Output;
  /** Makes the client, which is not loaded before. */
  connect: () => Promise<Client>;
}

export function createContext(io: Io, options: GlobalOptions): Context {
  const output = createOutput(io, options);
  return {
    ...io,
    output,
    async connect() {
      const { createClient } = await import("@promptreg/client");
      try {
        return createClient({
          baseUrl: options.url ?? (io.env.PROMPTREG_URL || undefined),
          token: io.env.PROMPTREG_TOKEN ?? null,
          onAttempt: options.debug ? tellOf(output.note) : undefined,
        });
      } catch (error) {
        throw new UsageError((error as Error).message);
      }
    },
  };
}

/** Tells of each request and its answer, but neither headers nor bodies, which hold secrets. */
const tellOf =
  (note: (text: string) => void): OnAttempt =>
  ({ method, url }) =>
  ({ status, requestId, durationMs }) => {
    const outcome = status === undefined ? "failed" : `${status} (request ${requestId})`;
    note(`${method} ${url} ${outcome} in ${Math.round(durationMs)} ms`);
  };
