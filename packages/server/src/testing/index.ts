import { randomUUID } from "node:crypto";
import { BlockList } from "node:net";
import { handle as handleSchema, reservedHandles, type Scope } from "@promptreg/core";
import { type Fault, type FaultOptions, Faults, fetchFrom, type SentRequest } from "@promptreg/core/testing";
import pino from "pino";
import { createApp } from "../app.ts";
import type { DatabaseAddress } from "../database/connection.ts";
import { type RunningServer, startServer } from "../server.ts";
import { workOff } from "../worker.ts";
import { type Clock, clockOf } from "./clock.ts";
import { borrowDatabases, databasesOf } from "./postgres.ts";
import { join, revoke } from "./world.sql.ts";

export type { Clock, Fault, FaultOptions, SentRequest };

export interface RegistryOptions {
  /**
   * A PostgreSQL, 15 or newer, to use instead of an embedded one, as a user who may create databases. The registry's own
   * database is dropped when it closes; the template that it was copied from stays, for the next process.
   */
  databaseUrl?: string | undefined;
}

/**
 * A whole registry in this process, for tests: the server's own code over a database of its own. It is what
 * `createClient` takes.
 */
export interface Registry extends AsyncDisposable {
  /** Nothing listens there; `fetch` alone leads to it. */
  readonly baseUrl: string;
  /** Answers requests to `baseUrl`, and refuses all others. */
  readonly fetch: typeof globalThis.fetch;
  /** The account that is there from the start. */
  readonly handle: string;
  /** Its token, to read and to write. */
  readonly token: string;
  /** What was sent so far, the oldest first; empty it to count anew. */
  readonly requests: SentRequest[];
  readonly clock: Clock;
  /**
   * Makes an account, unless the handle has one already, and a token for it: with the scopes `read` and `write` unless
   * others are given.
   * @throws {TypeError} for a handle that nobody could have.
   */
  createAccount(handle: string, options?: { scopes?: Scope[] }): Promise<{ handle: string; token: string }>;
  /**
   * Ends a token at once.
   * @throws {Error} when there is no such token.
   */
  revokeToken(token: string): Promise<void>;
  /** Lets requests fail from now on. Faults that concern the same request come one after the other. */
  fail(fault: Fault, options?: FaultOptions): void;
  /** Takes all faults back that have not come yet. */
  heal(): void;
  /**
   * Does what the worker would have done by now: deliveries to webhooks, which may be on this machine, retries that are
   * due by the clock, and housekeeping. Resolves when each has been answered.
   */
  deliver(): Promise<void>;
  /** Ends it and removes its data; requests fail from then on as if nobody listened. May be called twice. */
  close(): Promise<void>;
}

/** Reserved by RFC 2606: if a request strays to the network, it finds nobody. */
const baseUrl = "https://promptreg.test";

/**
 * Starts a registry. The first in a process starts PostgreSQL, in a temporary folder; others get a database of their own
 * on it.
 * @throws {DatabaseSetupError} when PostgreSQL cannot run here or cannot be reached, saying what to do.
 */
export async function startRegistry({ databaseUrl }: RegistryOptions = {}): Promise<Registry> {
  const databases = await (databaseUrl ? databasesOf(databaseUrl) : borrowDatabases());
  const closers = [async () => databases.release()];
  const close = async () => {
    for (const step of closers.splice(0).reverse()) await step();
  };
  try {
    const address = await databases.create();
    closers.push(() => databases.drop(address));
    const server = await startOn(address);
    closers.push(() => server.stop());
    const closing = new AbortController();
    closers.push(async () => closing.abort());
    return await open(server, address, { close, closed: closing.signal });
  } catch (error) {
    await close();
    throw error;
  }
}

const startOn = (address: DatabaseAddress): Promise<RunningServer> =>
  startServer(
    {
      config: {
        host: "",
        port: 0,
        publicUrl: baseUrl,
        databaseUrl: null,
        dataDir: "",
        secret: randomUUID(),
        trustedProxies: new BlockList(),
        rateLimits: null,
        allowUnsafeWebhooks: true,
        mail: null,
      },
      database: { address, place: "", close: async () => {} },
      log: pino({ level: process.env["LOG_LEVEL"] ?? "silent" }, pino.destination(2)),
    },
    { serves: false, works: false, migrates: false },
  );

async function open(
  { context }: RunningServer,
  address: DatabaseAddress,
  { close, closed }: { close: () => Promise<void>; closed: AbortSignal },
): Promise<Registry> {
  const { sql } = context;
  const faults = new Faults();
  const requests: SentRequest[] = [];
  const app = createApp(context);
  const createAccount: Registry["createAccount"] = async (handle, options = {}) => {
    if (!handleSchema.safeParse(handle).success || reservedHandles.includes(handle)) {
      throw new TypeError(`"${handle}" cannot be a handle.`);
    }
    const { token } = await join(sql, handle, options);
    return { handle, token };
  };
  return {
    baseUrl,
    fetch: fetchFrom((request) => app.fetch(request), { origin: baseUrl, faults, requests, closed }),
    ...(await createAccount("ada")),
    requests,
    clock: clockOf(sql),
    createAccount,
    async revokeToken(token) {
      if (!(await revoke(sql, token))) throw new Error("There is no such token in this registry.");
    },
    fail: (fault, options = {}) => faults.add(fault, options),
    heal: () => faults.clear(),
    deliver: () => workOff(context, address),
    close,
    [Symbol.asyncDispose]: close,
  };
}
