import { readConfig } from "../config.ts";
import { openDatabase, openDatabaseToServe } from "../database/open.ts";
import { openLog, takeOver } from "../kernel/log.ts";
import { type Duties, startServer } from "../server.ts";
import { signalled } from "./visit.ts";

/** How long anything that is still open may take after the end. */
const lingerMs = 100;

/** Runs a process until a signal stops it, then ends requests, jobs, connections and the database cleanly. */
export async function run(duties: Duties): Promise<void> {
  const startedAt = performance.now();
  // Listens from the start: a signal while PostgreSQL starts must not leave it running.
  const asked = signalled();
  // The reader of our output may close it; the server keeps running.
  process.stdout.on("error", () => {});
  const config = readConfig(process.env);
  const log = openLog();
  takeOver(log);
  const database = duties.serves
    ? await openDatabaseToServe(config, (err) =>
        log.error({ err }, "the embedded PostgreSQL cannot be restarted"),
      )
    : await openDatabase(config);
  try {
    const server = await startServer({ config, database, log }, duties);
    const ms = Math.round(performance.now() - startedAt);
    process.stdout.write(
      welcome(server.url, {
        place: database.place,
        isEmbedded: config.databaseUrl === null,
        ms,
        ...config,
        ...duties,
      }),
    );
    await asked;
    process.stdout.write("Stopping…\n");
    await server.stop();
  } finally {
    await database.close();
  }
  process.stdout.write("Stopped.\n");
  // A pool that was replaced after a lost connection may have opened new ones for queries that waited in it.
  setTimeout(() => process.exit(), lingerMs).unref();
}

function welcome(
  url: string | null,
  about: { place: string; isEmbedded: boolean; ms: number; works: boolean; allowUnsafeWebhooks: boolean },
): string {
  const lines = [
    url === null
      ? `Promptreg worker, ready in ${about.ms} ms.`
      : `Promptreg serves ${url}, ready in ${about.ms} ms.`,
    `  data       ${about.place}${about.isEmbedded ? " (embedded PostgreSQL)" : ""}`,
  ];
  if (url !== null) {
    lines.push(
      `  reference  ${url}/reference`,
      "  token      promptreg-server user add <handle>, then promptreg-server token create --user <handle>",
      "             (from a checkout: npm run -s server -- user add <handle>, …)",
    );
  }
  if (url !== null && !about.works)
    lines.push("  worker     not in this process: run `promptreg-server worker` to send deliveries");
  if (about.allowUnsafeWebhooks) {
    lines.push(
      "  WARNING    webhooks and imports can reach this machine and its network, also over plain http (PROMPTREG_UNSAFE_WEBHOOKS=1)",
    );
  }
  return `${lines.join("\n")}\n`;
}
