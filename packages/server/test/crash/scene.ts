import { type ServerProcess, start } from "../process.ts";
import { Draw } from "../seed/draw.ts";
import { type ProofDatabase, startDatabase } from "./database.ts";
import type { Mailbox } from "./mail.ts";
import type { Receivers } from "./receivers.ts";
import { createStorm, type Storm } from "./storm.ts";
import { makeWorld, type World } from "./world.ts";
import { createWriter, type Writer } from "./writers.ts";

/** How much is to happen. */
export interface Extent {
  /** How many workers run on the database at a time. */
  workers: number;
  kills: number;
  events: number;
  seed: number;
  /**
   * Also what takes its time: both kinds of restart, a lease that runs out by itself, requests that hang until their
   * deadline, jobs that stay locked for hours.
   */
  isLong: boolean;
}

/** Everything that takes part. */
export interface Scene {
  database: ProofDatabase;
  /** What workers are started with. */
  env: Record<string, string>;
  /** Serves and does not work; it is not killed. */
  server: ServerProcess;
  storm: Storm;
  world: World;
  writer: Writer;
  receivers: Receivers;
  mailbox: Mailbox;
  draw: Draw;
}

/** Starts everything but the workers. */
export async function setScene(
  { kills, seed, isLong }: Extent,
  { receivers, mailbox }: Pick<Scene, "receivers" | "mailbox">,
): Promise<Scene> {
  const database = await startDatabase();
  const env = {
    DATABASE_URL: database.url,
    PROMPTREG_SECRET: "a secret of the proof, and long enough",
    PROMPTREG_UNSAFE_WEBHOOKS: "1",
    RATE_LIMITS: "off",
    PUBLIC_URL: "https://prompts.example",
    ...mailbox.env,
  };
  const server = await start(["serve", "--no-worker"], env);
  const draw = new Draw(seed);
  const storm = createStorm({ database, receivers, env, draw });
  const world = await makeWorld({
    url: server.url,
    database,
    receivers,
    seed,
    hangs: isLong ? 8 : 0,
    doomed: isLong ? 4 : 1,
    progress: () => storm.kills.length / kills,
  });
  const writer = createWriter(server.url, world.token);
  return { database, env, server, storm, world, writer, receivers, mailbox, draw };
}
