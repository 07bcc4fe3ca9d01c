import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { rm } from "node:fs/promises";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import pino, { type DestinationStream } from "pino";
import type postgres from "postgres";
import { inject, vi } from "vitest";
import type { TokenRestriction } from "@promptreg/core";
import type { Config } from "../src/config.ts";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { connect, type OpenDatabase } from "../src/database/open.ts";
import type { Cdn } from "../src/kernel/cdn.ts";
import { openLog } from "../src/kernel/failures/log.ts";
import type { SuggestionsConfig } from "../src/groups/suggestions/index.ts";
import type { ScannerConfig } from "../src/kernel/media/scanner.ts";
import type { S3Config } from "../src/kernel/store/s3-store.ts";
import type { MailConfig } from "../src/kernel/mailer.ts";
import { type Duties, type RunningServer, startServer } from "../src/server.ts";
import { Turns } from "../src/kernel/http/turns.ts";
import { openManualWorker } from "../src/worker.ts";
import { copyDatabase, dropDatabase } from "../src/testing/databases.sql.ts";
import { join, stopClock } from "../src/testing/world.sql.ts";
import { discordKeys } from "./discord.ts";
import { type Answer, exchange, type Sender } from "./requests.ts";

export type { Answer };

/** For what waits for a lock: less than a statement may take. */
const patience = { timeout: 6_000 };

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A fresh, migrated database of its own. */
export async function createDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  channel("promptreg.test.database").publish({});
  const { url, template } = inject("postgres");
  const address = parseDatabaseUrl(url);
  const own = await copyDatabase(address, { template: isEmpty ? "template0" : template, prefix: template });
  return { url: new URL(`/${own.database}`, url).href, drop: () => dropDatabase(address, own) };
}

/** Somebody with a token, and requests in their name. */
export interface Person extends Sender {
  id: string;
  handle: string;
  token: string;
}

export interface TestServer extends RunningServer {
  url: string;
  sql: postgres.Sql;
  database: TestDatabase;
  /** Makes an account with a token of the given scopes. */
  join(
    handle: string,
    options?: { scopes?: string[]; role?: string; suspended?: boolean; restriction?: TokenRestriction },
  ): Promise<Person>;
  /** Requests without a token. */
  anonymous: Sender["request"];
  /** A caller without a token. */
  nobody: Sender;
  /** Sends requests while a row that they all need is held by `hold`, and lets go when each of them waits for it. */
  atOnce(
    hold: (sql: postgres.Sql) => PromiseLike<unknown>,
    requests: (() => Promise<Answer>)[],
  ): Promise<Answer[]>;
  /** Does the work of a worker that is due. */
  workOff(): Promise<void>;
  /** Stops the clock of the database at a time. */
  setClock(at: string): Promise<void>;
}

interface TestServerOptions extends Partial<Duties> {
  database?: TestDatabase;
  mail?: MailConfig | null;
  /** How long the database may be silent, where a test does not wait as long as others do. */
  silenceMs?: number;
  /** How many connections the server has, where a test holds more requests up at once than others do. */
  connections?: number;
  secret?: string;
  secondSecret?: string | null;
  isSetUpForDiscord?: boolean;
  suggestions?: SuggestionsConfig | null;
  /** Where bytes are kept, unless it is a folder. */
  mediaStore?: S3Config | null;
  /** Who looks for malware in uploads. */
  mediaScan?: ScannerConfig | null;
  metrics?: Config["metrics"];
  isForMembers?: boolean;
  /** What its worker tells which prompts are public no more. */
  cdn?: Cdn | null;
  /** Standbys of its database. */
  replicas?: readonly string[];
  /** Where the lines of the log go. */
  log?: DestinationStream;
  logLevel?: string;
}

/** Of a server that is asked one thing after the other. */
export const usualConnections = 1;
/** What processes of one database have. */
export const testSecret = "a secret of tests, and long enough";
/** Of the test itself: some hold rows locked while they look at something else. */
const ownConnections = 5;

/** A whole server on a port and a database of its own, which checks every answer against the contract. */
export async function startTestServer({
  database,
  mail = null,
  silenceMs,
  // The driver takes them in turn; each costs a login, and plans statements anew.
  connections = usualConnections,
  mediaStore = null,
  mediaScan = null,
  isSetUpForDiscord = true,
  suggestions = { model: null },
  secret = testSecret,
  secondSecret = null,
  metrics = null,
  isForMembers = false,
  cdn = null,
  replicas = [],
  log: lines,
  logLevel,
  ...duties
}: TestServerOptions = {}): Promise<TestServer> {
  const own = database ?? (await createDatabase());
  const address = {
    ...parseDatabaseUrl(own.url),
    connections,
    ...(silenceMs !== undefined && { silenceMs }),
  };
  const opened: OpenDatabase = {
    address,
    replicas: replicas.map((url) => ({ ...parseDatabaseUrl(url), connections })),
    place: own.url,
    close: async () => {},
  };
  // Made when something is stored.
  const dataDir = resolve(tmpdir(), `promptreg-test-${randomUUID()}`);
  const config = {
    host: "127.0.0.1",
    port: 0,
    metrics,
    publicUrl: null,
    isForMembers,
    cdn: null,
    mediaUrl: null,
    mediaStore,
    mediaScan,
    databaseUrl: own.url,
    databasePoolUrl: null,
    databaseReadUrls: [],
    dataDir,
    secret,
    secondSecret,
    trustedProxies: new BlockList(),
    rateLimits: null,
    accountBytes: 1e10,
    heldWords: [],
    suggestions,
    allowUnsafeWebhooks: true,
    webhookAllow: null,
    webhookProxy: null,
    drainSeconds: 0,
    databaseWaitSeconds: 0,
    unknownVariables: [],
    mail,
    discord: isSetUpForDiscord
      ? { applicationId: "100000000000000001", publicKey: discordKeys.publicKey }
      : null,
  };
  const log = lines ? openLog(lines, logLevel) : pino({ level: process.env["LOG_LEVEL"] ?? "silent" });
  const server = await startServer(
    { config, database: opened, log, checkAnswers: true },
    { serves: true, works: false, migrates: false, ...duties },
  );
  const sql = connect({ ...address, connections: ownConnections });
  const worker = openManualWorker(server.context, address);
  const url = server.url ?? "";
  // All tests come from one address, and some hold many requests up at once.
  server.context.turns = new Turns(100);
  // Set late: a server that starts with one purges each second, and tests do so by `workOff`.
  server.context.cdn = cdn;
  const anonymous: Sender["request"] = (route, call) => exchange(url, route, call);
  return {
    ...server,
    url,
    sql,
    database: own,
    anonymous,
    nobody: { request: anonymous },
    async join(handle, { suspended: isSuspended = false, ...options } = {}) {
      const { id, token } = await join(sql, handle, { ...options, isSuspended });
      return { id, handle, token, request: (route, call) => exchange(url, route, { token, ...call }) };
    },
    async atOnce(hold, requests) {
      const { context } = server;
      const few = context.sql;
      // Each waits on a connection of its own.
      context.sql = connect({ ...address, connections: requests.length });
      try {
        const { answers } = await sql.begin(async (holder) => {
          await hold(holder as unknown as postgres.Sql);
          const sent = Promise.all(requests.map((send) => send()));
          await vi.waitFor(async () => {
            const waiting = await sql`
              select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
            if (waiting.count < requests.length) throw new Error(`only ${waiting.count} requests wait`);
          }, patience);
          // Not awaited in here: they wait for what is held.
          return { answers: sent };
        });
        return await answers;
      } finally {
        await context.sql.end();
        context.sql = few;
      }
    },
    workOff: () => worker.workOff(),
    setClock: (at) => stopClock(sql, at),
    async stop() {
      await worker.stop();
      await server.stop();
      await sql.end();
      await rm(dataDir, { recursive: true, force: true });
      if (!database) await own.drop();
    },
  };
}
