import { type Registry, startRegistry } from "@promptreg/server/testing";
import { inject } from "vitest";
import { type Around, cli } from "./registry.ts";

/** A whole registry, and the command line in it as its account `ada`. */
export interface RealRegistry extends Registry {
  cli: (args: readonly string[], around?: Around) => ReturnType<typeof cli>;
}

/** Starts one for a test file: the server's own code, and a database on the PostgreSQL of all tests. */
export async function startReal(): Promise<RealRegistry> {
  const registry = await startRegistry({ databaseUrl: inject("postgres").url });
  const env = { PROMPTREG_URL: registry.baseUrl, PROMPTREG_TOKEN: registry.token };
  return {
    ...registry,
    cli: (args, around = {}) =>
      cli(args, { fetch: registry.fetch, ...around, env: { ...env, ...around.env } }),
  };
}
