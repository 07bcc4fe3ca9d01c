import type { Client } from "@promptreg/client";
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
          fetch: options.debug ? fetchAloud(output.note) : undefined,
        });
      } catch (error) {
        throw new UsageError((error as Error).message);
      }
    },
  };
}

/** Tells of each request and its answer, but neither headers nor bodies, which hold secrets. */
function fetchAloud(note: (text: string) => void): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const startedMs = performance.now();
    const tell = (outcome: string) => {
      note(`${request.method} ${request.url} ${outcome} in ${Math.round(performance.now() - startedMs)} ms`);
    };
    try {
      const response = await fetch(request);
      tell(`${response.status} (request ${response.headers.get("x-request-id")})`);
      return response;
    } catch (error) {
      tell("failed");
      throw error;
    }
  };
}
