import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { apiError } from "@promptreg/core/errors";
import { chooseRequestId, respondWithError } from "@promptreg/core/wire";
import type { Logger } from "pino";
import { createApp } from "./app.ts";
import { createMetricsServer } from "./metrics-server.ts";
import { type Config, missingSecretFile, readSecret } from "./config.ts";
import { type DatabaseAddress, DatabaseSetupError } from "./database/connection.ts";
import { migrate, requireMigrated } from "./database/migrate.ts";
import { connect, connectToRead, type OpenDatabase } from "./database/open.ts";
import { openSuggestions } from "./groups/suggestions/index.ts";
import { openTokenUses } from "./kernel/accounts/token-uses.ts";
import { openTracing } from "./kernel/telemetry/tracing.ts";
import { openTunnel } from "./kernel/reach/tunnel.ts";
import { openActivity } from "./kernel/changes/activity.ts";
import { openBus } from "./kernel/changes/bus.ts";
import { startPurging } from "./kernel/changes/purges.ts";
import { Waits } from "./kernel/changes/waits.ts";
import { openFailures } from "./kernel/failures/failures.ts";
import { createHttpServer } from "./kernel/http/http-server.ts";
import { openMailer } from "./kernel/mailer.ts";
import { createRateLimiter } from "./kernel/rate-limits/rate-limit.ts";
import { Scanner } from "./kernel/media/scanner.ts";
import { openReplicas } from "./kernel/replicas.ts";
import { openReadiness } from "./kernel/failures/readiness.ts";
import { openSecretBox } from "./kernel/secrets/secret-box.ts";
import { forgetSecret, requireNoneEncrypted, requireSecret } from "./kernel/secrets/secret-key.ts";
import type { ServerContext } from "./kernel/server-context.ts";
import { openStore } from "./kernel/store/open-store.ts";
import { LostFileError } from "./kernel/store/store.ts";
import { openAccess } from "./kernel/telemetry/access.ts";
import type { Metrics } from "./kernel/telemetry/metrics.ts";
import { Holdings } from "./kernel/http/holdings.ts";
import { Turns, turnsOfAddress } from "./kernel/http/turns.ts";
import { startWorker } from "./worker.ts";

/** What a process does. */
export interface Duties {
  /** Serves the API. */
  serves: boolean;
  /** Sends deliveries and does other background work. */
  works: boolean;
  /** Migrates the database first. Otherwise a database that needs migration is refused. */
  migrates: boolean;
}

export interface RunningServer {
  /** The origin of the API; null if the process does not serve. */
  url: string | null;
  /** The origin of its figures; null if they are not asked for. */
  metricsUrl: string | null;
  context: ServerContext;
  /** Lets balancers and clients go elsewhere for some time: `/readyz` answers 503, and each response ends its connection. */
  drain(ms: number): Promise<void>;
  /** Gives running requests and jobs some seconds to end, and closes what was opened here. */
  stop(): Promise<void>;
}

type Closer = () => Promise<void>;

/** How long running requests and jobs may take to end when the process stops. */
const graceMs = 8_000;
/** How long the first byte of a new connection may take then. */
const unusedMs = 1_000;

/** Starts the API, the worker or both on an open database. */
export async function startServer(
  {
    config,
    database,
    log,
    checkAnswers = false,
  }: { config: Config; database: OpenDatabase; log: Logger; checkAnswers?: boolean },
  { serves, works, migrates }: Duties,
): Promise<RunningServer> {
  const { address, pooler = address, replicas = [] } = database;
  if (migrates) await migrateLogged(address, log);
  else await requireMigrated(address);
  await requireKnownSecret(config, address);
  const metrics = config.metrics && (await loadMetrics(config, () => context));
  const context = openContext(config, {
    address,
    pooler,
    replicas: serves ? replicas : [],
    log,
    checkAnswers,
    metrics,
  });
  const closers: Closer[] = [];
  let metricsUrl: string | null = null;
  const stop = () => close(context, closers.splice(0));
  const drain = async (ms: number) => {
    context.readiness.isStopping = true;
    context.waits.stop();
    if (serves) await delay(ms);
  };
  try {
    await requireSecret(context.sql, context);
    if (config.metrics && metrics) {
      const listening = await listen(createMetricsServer(context, metrics), config.metrics, {
        host: "METRICS_HOST",
        port: "METRICS_PORT",
      });
      metricsUrl = listening.url;
      closers.push(listening.close);
    }
    if (works) {
      const worker = await startWorker(context, address);
      closers.push(() => worker.stop());
      void tryMailer(context);
      void tryScanner(context);
    }
    if (config.mediaStore) void tryStore(context);
    if (serves && config.rateLimits) {
      const limiter = createRateLimiter({ ...context, limits: config.rateLimits });
      await limiter.start();
      closers.push(async () => limiter.stop());
      context.limiter = limiter;
    }
    if (config.cdn && !works) {
      const purging = startPurging(context);
      closers.push(() => purging.stop());
    }
    if (!serves) return { url: null, metricsUrl, context, drain, stop };
    const { url, close } = await startListening(config, context);
    closers.push(async () => {
      await close();
      // What the last requests noted.
      await Promise.all([context.activity.stop(), context.tokenUses.flush()]);
    });
    return { url, metricsUrl, context, drain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Migrates, and says so of a database that was there before. */
async function migrateLogged(address: DatabaseAddress, log: Logger): Promise<void> {
  const startedAt = performance.now();
  const names = await migrate(address);
  const isNew = names[0]?.startsWith("0001_");
  if (isNew || names.length === 0) return;
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  log.info({ migrations: names, seconds }, "the database was migrated");
}

/** Its package is not loaded where nobody asks for figures. */
async function loadMetrics({ dataDir }: Config, context: () => ServerContext): Promise<Metrics> {
  const { openMetrics } = await import("./kernel/telemetry/metrics.ts");
  return openMetrics({
    waitingReads: () => context().waits.size,
    replicaLags: () => context().replicas.lags(),
    isDatabaseUp: () => context().readiness.isDatabaseUp,
    dataDir,
  });
}

/** Logs if the store of pictures does not do as asked: nobody would notice a mistake in its address before the first upload. */
async function tryStore({ store, log }: ServerContext): Promise<void> {
  const key = "of-no-file";
  try {
    (await store.get(key)).destroy();
  } catch (error) {
    if (error instanceof LostFileError) return;
    // Whoever may not list a bucket is refused what is not there, but can delete it. Whoever a store does not believe can do neither.
    const err = String(error).includes("AccessDenied")
      ? await store.delete(key).catch((err: unknown) => err)
      : error;
    if (err)
      log.warn(
        { err },
        "the store of pictures does not do as asked: until it does, uploads and reads of pictures get 503",
      );
  }
}

/** Logs if the mail server does not let this process in: nobody would notice before the first mail. */
async function tryMailer({ mailer, log }: ServerContext): Promise<void> {
  await mailer
    ?.check()
    .catch((err: unknown) => log.warn({ err }, "no mail can be sent until that is mended"));
}

/** Logs if the scanner does not call nothing clean: nobody would notice a mistake in its address before the first upload. */
async function tryScanner({ scanner, log }: ServerContext): Promise<void> {
  await scanner
    ?.scan(Readable.from([]))
    .catch((err: unknown) =>
      log.warn(
        { err },
        "the scanner of uploads does not do as asked: until it does, uploads stay `processing`",
      ),
    );
}

/** Checks before a lost secret is replaced: a new one could not decrypt webhook secrets. */
async function requireKnownSecret(config: Config, address: DatabaseAddress): Promise<void> {
  const path = missingSecretFile(config);
  if (path === null) return;
  const sql = connect(address);
  try {
    await requireNoneEncrypted(sql, path);
    await forgetSecret(sql);
  } finally {
    await sql.end();
  }
}

function openContext(
  config: Config,
  {
    address,
    pooler,
    replicas,
    log,
    checkAnswers,
    metrics,
  }: {
    address: DatabaseAddress;
    pooler: DatabaseAddress;
    replicas: readonly DatabaseAddress[];
    log: Logger;
    checkAnswers: boolean;
    metrics: Metrics | null;
  },
): ServerContext {
  openTracing();
  const secrets = openSecretBox(readSecret(config), config.secondSecret);
  const sql = connect(pooler, metrics?.transactions);
  const readiness = openReadiness({ sql, log });
  const failures = openFailures(log, readiness);
  const bus = openBus({ sql, address, onLost: (error) => failures.report(error, { operation: "bus" }) });
  return {
    sql,
    readSql: connectToRead(pooler),
    replicas: openReplicas({ sql, addresses: replicas, log, failures }),
    // A process that does not serve uses the address where a serving one would listen.
    publicUrl: config.publicUrl ?? originOf(config.host, config.port),
    mediaUrl: config.mediaUrl ?? config.publicUrl ?? originOf(config.host, config.port),
    isForMembers: config.isForMembers,
    isPooled: pooler !== address,
    cdn: config.cdn,
    secrets,
    log,
    readiness,
    metrics,
    follow: openAccess({ log, metrics }),
    failures,
    trustedProxies: config.trustedProxies,
    holdings: new Holdings(),
    turns: new Turns(turnsOfAddress),
    activity: openActivity({ sql, failures }),
    tokenUses: openTokenUses({ sql, failures }),
    bus,
    waits: new Waits(bus),
    limiter: null,
    store: openStore(config),
    scanner: config.mediaScan && new Scanner(config.mediaScan),
    accountBytes: config.accountBytes,
    heldWords: config.heldWords,
    suggestions: openSuggestions(config.suggestions),
    mailer: config.mail && openMailer(config.mail),
    discordKey: config.discord?.publicKey ?? null,
    ask: () => Promise.reject(new Error("this process does not serve the API")),
    allowUnsafeWebhooks: config.allowUnsafeWebhooks,
    webhookReach: {
      opened: config.webhookAllow,
      tunnel: config.webhookProxy && openTunnel(config.webhookProxy),
    },
    checkAnswers,
  };
}

/** Ends requests and jobs at the same time, aborts what is left after the grace period, then closes the database. */
async function close(
  { readiness, failures, bus, waits, sql, readSql, replicas }: ServerContext,
  closers: readonly Closer[],
): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, graceMs);
  waits.stop();
  // If one cannot end because the database is down, the others still end.
  await Promise.race([over, Promise.allSettled(closers.map((close) => close()))]);
  await Promise.race([over, bus.stop()]);
  clearTimeout(timer);
  readiness.stop();
  failures.stop();
  await Promise.all([replicas.stop(), ...[sql, readSql].map((pool) => pool.end({ timeout: 1 }))]);
}

async function startListening(
  { host, port, publicUrl, mediaUrl }: Config,
  context: ServerContext,
): Promise<{ url: string; close: Closer }> {
  // The app is made when the port is known, because responses contain it.
  let app: { fetch(request: Request, env: object): Response | Promise<Response> } | undefined;
  const tooEarly = () => respondWithError(apiError("unavailable"), chooseRequestId(undefined));
  const server = createHttpServer((request, env) => app?.fetch(request, env) ?? tooEarly(), context);
  const { url, close } = await listen(server, { host, port }, { host: "HOST", port: "PORT" });
  if (publicUrl === null) context.publicUrl = url;
  context.mediaUrl = mediaUrl ?? context.publicUrl;
  app = createApp(context);
  return { url, close };
}

/** Has a server listen, and closes it when its last responses are sent. `variables` are what the operator set it by. */
async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  variables: { host: string; port: string },
): Promise<{ url: string; close: Closer }> {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  server.listen(port, host);
  const url = await new Promise<string>((resolve, reject) => {
    server.once("listening", () => resolve(originOf(host, (server.address() as AddressInfo).port)));
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new DatabaseSetupError(
          error.code === "EADDRINUSE"
            ? `Port ${port} on ${host} is already in use. Stop the program that uses it, or set ${variables.port} to another.`
            : `Cannot listen on port ${port} of ${host} (${error.code}). Set ${variables.host} to an address of this machine, or ${variables.port} to another.`,
        ),
      );
    });
  });
  const close: Closer = () =>
    new Promise((resolve) => {
      // A keep-alive connection becomes idle only after its last response.
      const closeIdle = () => server.closeIdleConnections();
      const closing = setInterval(closeIdle, 50);
      server.close(() => {
        clearInterval(closing);
        resolve();
      });
      closeIdle();
      // Browsers open connections ahead, and Node does not count one as idle on which nothing has come yet.
      const closeUnused = () =>
        [...connections].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
      setTimeout(closeUnused, unusedMs).unref();
      setTimeout(() => server.closeAllConnections(), graceMs).unref();
    });
  return { url, close };
}

/** The origin of a server without one that its operator set. */
export const originOf = (host: string, port: number) =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
