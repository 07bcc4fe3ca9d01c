import { type Config, missingSecretFile, readConfig } from "../config.ts";
import type { DatabaseAddress } from "../database/connection.ts";
import {
  type Listener,
  type OpenDatabase,
  openDatabaseToServe,
  openDatabaseToWork,
} from "../database/open.ts";
import { canReadImages } from "../kernel/media/upload.ts";
import { openLog, takeOver } from "../kernel/failures/log.ts";
import { type Duties, startServer } from "../server.ts";
import { signalled } from "./visit.ts";

/** How long anything that is still open may take after the end. */
const lingerMs = 100;

/** Runs a process until a signal stops it, then ends requests, jobs, connections and the database cleanly. */
export async function run(duties: Duties): Promise<void> {
  const startedAt = performance.now();
  // Listens from the start: a signal while PostgreSQL starts must not leave it running.
  let drainMs = 0;
  const asked = signalled(() => drainMs);
  // The reader of our output may close it; the server keeps running.
  process.stdout.on("error", () => {});
  const config = readConfig(process.env);
  const log = openLog();
  takeOver(log);
  const listener: Listener = {
    onWait(sentence) {
      if (process.stderr.isTTY) process.stderr.write(`promptreg-server: ${sentence}\n`);
      else log.warn(sentence);
    },
    onTrouble: (err) => log.error({ err }, "the embedded PostgreSQL does not run"),
  };
  const database = await (duties.serves
    ? openDatabaseToServe(config, listener)
    : openDatabaseToWork(config, listener));
  const newSecret = missingSecretFile(config);
  try {
    const server = await startServer({ config, database, log }, duties);
    const ms = Math.round(performance.now() - startedAt);
    process.stdout.write(
      welcome(server.url, {
        metricsUrl: server.metricsUrl,
        isEmbedded: config.databaseUrl === null,
        ms,
        newSecret,
        ...config,
        ...database,
        ...duties,
        ...(await server.context.readiness.check()),
      }),
    );
    drainMs = 1_000 * config.drainSeconds;
    const signal = await asked;
    process.stdout.write("Stopping…\n");
    // A person at a terminal has no balancer, and waits.
    if (signal !== "SIGINT") await server.drain(drainMs);
    await server.stop();
  } finally {
    await database.close();
  }
  process.stdout.write("Stopped.\n");
  // A pool that was replaced after a lost connection may have opened new ones for queries that waited in it.
  setTimeout(() => process.exit(), lingerMs).unref();
}

/** Whether a host stands for all addresses of the machine. */
const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::";

const hostOf = ({ host, port }: DatabaseAddress): string => `${host}:${port}`;

/** What a process says when it is ready. */
export function welcome(
  url: string | null,
  about: {
    metricsUrl: string | null;
    place: string;
    isEmbedded: boolean;
    ms: number;
    newSecret: string | null;
    works: boolean;
    isReadOnly: boolean;
  } & Pick<OpenDatabase, "pooler" | "replicas"> &
    Pick<
      Config,
      | "allowUnsafeWebhooks"
      | "webhookAllow"
      | "webhookProxy"
      | "isForMembers"
      | "cdn"
      | "mediaStore"
      | "mediaScan"
      | "publicUrl"
      | "host"
      | "unknownVariables"
    >,
): string {
  const lines = [
    url === null
      ? `Promptreg worker, ready in ${about.ms} ms.`
      : `Promptreg serves ${url}, ready in ${about.ms} ms.`,
    `  data       ${about.place}${about.isEmbedded ? " (embedded PostgreSQL)" : ""}`,
  ];
  if (url !== null && about.isForMembers)
    lines.push("  access     for members: nothing is shown without a token");
  if (about.pooler) lines.push(`  pooler     ${hostOf(about.pooler)}`);
  if (about.replicas?.length) lines.push(`  replicas   ${about.replicas.map(hostOf).join(", ")}`);
  if (about.mediaStore !== null) lines.push(`  media      ${about.mediaStore.url}`);
  if (about.works && about.mediaScan !== null)
    lines.push(`  scanner    ${about.mediaScan.url} sees uploads before anybody else`);
  if (about.cdn !== null && !about.isForMembers)
    lines.push(
      `  cdn        keeps public versions and pictures for a year, and is purged by ${about.cdn.purgeUrl.host}`,
    );
  if (about.newSecret !== null)
    lines.push(`  secret     ${about.newSecret}, made now: keep it with your backups`);
  if (url !== null) {
    lines.push(
      `  reference  ${url}/reference`,
      "  token      promptreg-server user add <handle>, then promptreg-server token create --user <handle>",
      "             (from a checkout: npm run -s server -- user add <handle>, …)",
    );
  }
  if (about.metricsUrl !== null) lines.push(`  metrics    ${about.metricsUrl}/metrics`);
  if (url !== null && !canReadImages)
    lines.push("  pictures   not taken: install the package sharp beside the server");
  if (url !== null && !about.works)
    lines.push(
      "  worker     not in this process: run `promptreg-server worker` to send deliveries and to read uploads",
    );
  const warn = (text: string) => lines.push(`  WARNING    ${text}`);
  if (url !== null && about.publicUrl === null && isWildcard(about.host))
    warn(`links and events begin with ${url}, which leads nowhere from elsewhere: set PUBLIC_URL`);
  if (about.unknownVariables.length > 0)
    warn(`unknown variables are ignored: ${about.unknownVariables.join(", ")} (see promptreg-server --help)`);
  if (about.isForMembers && about.cdn !== null)
    warn("nothing is public any more: purge everything that the CDN of CDN_PURGE_URL still has");
  if (about.isReadOnly) warn("the database is read-only: reads work, and changes get 503");
  if (about.webhookAllow)
    lines.push(`  webhooks   can also reach ${about.webhookAllow.text} (WEBHOOK_ALLOW)`);
  if (about.webhookProxy) lines.push(`  webhooks   go through ${about.webhookProxy.host} (WEBHOOK_PROXY)`);
  if (about.allowUnsafeWebhooks) {
    lines.push(
      "  WARNING    webhooks and imports can reach this machine and its network, and webhooks use plain http (PROMPTREG_UNSAFE_WEBHOOKS=1)",
    );
  }
  return `${lines.join("\n")}\n`;
}
