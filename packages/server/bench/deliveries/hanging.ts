/** Commit to first byte of a webhook while others hang, against the same worker before they did. */
import { once } from "node:events";
import { percentile, timesOf, warmUps, writeEvent } from "./latency.ts";
import { eventName, otherEventName, plantBacklog, plantPrompt, plantWebhooks } from "./plant.ts";
import { print } from "./print.ts";
import type { Stage } from "./stage.ts";
import { isShort } from "../../../../scripts/short.ts";
import { sweep } from "../../src/groups/webhooks/sweep.sql.ts";

const kinds = { "/hang": "never answer", "/slow": "answer after 9 s" };
const cases = [
  { endpoints: 1, pending: isShort ? 100 : 10_000, isOwn: true },
  { endpoints: 100, pending: 100, isOwn: false },
];

export async function hanging(stage: Stage, { events }: { events: number }): Promise<void> {
  for (const { endpoints, pending, isOwn } of cases) {
    for (const [path, what] of Object.entries(kinds)) {
      const owner = isOwn ? "of its owner" : "of another owner";
      const [before, during] = await measure(stage, { endpoints, pending, isOwn, path, events });
      for (const share of [50, 99]) {
        print(`p${share} while ${endpoints} ${owner} with ${pending} each ${what}`, {
          floor: percentile(before, share),
          ours: percentile(during, share),
          unit: "ms",
          against: "idle",
          ...(share === 99 && { limit: "2" }),
        });
      }
    }
  }
}

interface Case {
  endpoints: number;
  pending: number;
  /** Whether they belong to the owner of the webhook that is timed. */
  isOwn: boolean;
  path: string;
  events: number;
}

async function measure(stage: Stage, { endpoints, pending, isOwn, path, events }: Case) {
  const { receivers } = stage;
  const database = await stage.openDatabase();
  const { sql } = database;
  const prompt = await plantPrompt(sql, { handle: "timed" });
  const other = isOwn ? prompt : await plantPrompt(sql, { handle: "hanging" });
  const of = ({ ownerId }: typeof prompt, path: string) => ({
    userIds: [ownerId],
    url: receivers.origin + path,
  });
  await plantWebhooks(sql, { ...of(prompt, "/timed"), event: eventName });
  // They hear of nothing but their backlog.
  const hang = { ...of(other, path), count: endpoints, event: otherEventName };
  const webhookIds = await plantWebhooks(sql, hang);
  const worker = await stage.startWorker(database);
  const sides = [{ sql, write: writeEvent(prompt, database) }];
  await timesOf(receivers, { sides, count: warmUps });
  // Each connection of the worker makes its plans once in its life, which is not what is timed.
  const quick = await plantPrompt(sql, { handle: "quick" });
  await plantBacklog(
    sql,
    await plantWebhooks(sql, { ...of(quick, "/fast"), count: 30, event: otherEventName }),
    30,
  );
  await sweep(sql);
  while ((await sql`select from deliveries where status = 'pending' limit 1`).count > 0);
  const [before] = await timesOf(receivers, { sides, count: events });
  await plantBacklog(sql, webhookIds, pending);
  const hangs = once(receivers.notices, "hanging");
  await sweep(sql);
  await hangs;
  const [during] = await timesOf(receivers, { sides, count: events });
  // Stopping would wait for what hangs.
  await worker.stop("SIGKILL");
  return [before!, during!] as const;
}
