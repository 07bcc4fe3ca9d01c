import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { BlockList } from "node:net";
import { join as joinPath } from "node:path";
import { handle as handleSchema, reservedHandles, type Scope } from "@promptreg/core";
import { type Fault, type FaultOptions, Faults, fetchFrom, type SentRequest } from "@promptreg/core/testing";
import pino from "pino";
import { createApp } from "../app.ts";
import type { DatabaseAddress } from "../database/connection.ts";
import { type RunningServer, startServer } from "../server.ts";
import { type ManualWorker, openManualWorker } from "../worker.ts";
import { type Clock, clockOf } from "./clock.ts";
import { borrowDatabases, databasesOf } from "./postgres.ts";
import { join, revoke } from "./world.sql.ts";

export type { Clock, Fault, FaultOptions, SentRequest };

export interface RegistryOptions {
  /**
   * A PostgreSQL, 15 or newer, to use instead of an embedded one. Its user must be able to create databases. The registry's
   * own database is dropped when it closes. The template database stays, for the next process.
   */
  databaseUrl?: string | undefined;
}

/**
 * A complete registry in this process, for tests: the real server with a database of its own. Pass it to `createClient`.
 */
export interface Registry extends AsyncDisposable {
  /** Only `fetch` reaches it: no server listens there. */
  readonly baseUrl: string;
  /** Sends requests to `baseUrl`, and rejects all others. */
  readonly fetch: typeof globalThis.fetch;
  /** The first account. */
  readonly handle: string;
  /** Its token, with the scopes `read` and `write`. */
  readonly token: string;
  /** The requests so far, oldest first. Empty it to count from zero. */
  readonly requests: SentRequest[];
  readonly clock: Clock;
  /**
   * Creates an account, unless it exists, and a token for it. Default scopes: `read` and `write`. With a role the account and
   * the token have it: a moderator decides on reports.
   * @throws {TypeError} if the handle is invalid.
   */
  createAccount(
    handle: string,
    options?: { scopes?: Scope[]; role?: "user" | "moderator" | "admin" },
  ): Promise<{ handle: string; token: string }>;
  /**
   * Revokes a token at once.
   * @throws {Error} if there is no such token.
   */
  revokeToken(token: string): Promise<void>;
  /** Adds a fault to the next requests. Several faults for the same requests come one after the other. */
  fail(fault: Fault, options?: FaultOptions): void;
  /** Removes all remaining faults. */
  heal(): void;
  /**
   * Does the work of the worker up to now: deliveries to webhooks, which may be on this machine, retries that are due by the
   * clock, and housekeeping. Resolves when each delivery got its response.
   */
  deliver(): Promise<void>;
  /** Closes the registry and removes its data. Later requests fail as if the server were down. Can be called twice. */
  close(): Promise<void>;
}

/** Reserved by RFC 2606: a request that goes to the network by mistake reaches no server. */
const baseUrl = "https://promptreg.test";

/**
 * Starts a registry. The first in a process starts PostgreSQL, in a temporary folder; others get a database of their own
 * on it.
 * @throws {DatabaseSetupError} if PostgreSQL cannot run or cannot be reached. The message says what to do.
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
    const dataDir = joinPath(databases.folder, `promptreg-registry-${randomUUID()}`);
    closers.push(() => rm(dataDir, { recursive: true, force: true }));
    const server = await startOn(address, dataDir);
    closers.push(() => server.stop());
    const worker = openManualWorker(server.context, address);
    closers.push(() => worker.stop());
    const closing = new AbortController();
    closers.push(async () => closing.abort());
    return await open(server, worker, { close, closed: closing.signal });
  } catch (error) {
    await close();
    throw error;
  }
}

const startOn = (address: DatabaseAddress, dataDir: string): Promise<RunningServer> =>
  startServer(
    {
      config: {
        host: "",
        port: 0,
        metrics: null,
        publicUrl: baseUrl,
        mediaUrl: null,
        isForMembers: false,
        cdn: null,
        webhookAllow: null,
        webhookProxy: null,
        mediaStore: null,
        mediaScan: null,
        databaseUrl: null,
        databasePoolUrl: null,
        databaseReadUrls: [],
        dataDir,
        secret: randomUUID(),
        secondSecret: null,
        trustedProxies: new BlockList(),
        rateLimits: null,
        accountBytes: 1e10,
        heldWords: [],
        suggestions: { model: null },
        allowUnsafeWebhooks: true,
        drainSeconds: 0,
        databaseWaitSeconds: 0,
        unknownVariables: [],
        mail: null,
        discord: null,
      },
      database: { address, place: "", close: async () => {} },
      log: pino({ level: process.env["LOG_LEVEL"] ?? "silent" }, pino.destination(2)),
    },
    { serves: false, works: false, migrates: false },
  );

async function open(
  { context }: RunningServer,
  worker: ManualWorker,
  { close, closed }: { close: () => Promise<void>; closed: AbortSignal },
): Promise<Registry> {
  const { sql, readSql } = context;
  // Opened now: the driver opens a connection by a timer, and a test may turn those of the process.
  await readSql`select`;
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
    deliver: () => worker.workOff(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
