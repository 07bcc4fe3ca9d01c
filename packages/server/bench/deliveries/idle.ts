/** Commit to first byte with nothing else to do, against a bare job that sends the same request. */
import { percentile, timesOf, warmUps, type Write, writeEvent } from "./latency.ts";
import { eventData, eventName, plantPrompt, plantWebhooks } from "./plant.ts";
import { print } from "./print.ts";
import type { Stage } from "./stage.ts";

export async function idle(stage: Stage, { events }: { events: number }): Promise<void> {
  const { receivers } = stage;
  const url = `${receivers.origin}/timed`;
  // In databases of their own: a new job would else wake the worker of the other side too.
  const floor = await stage.openDatabase();
  const task = await stage.startFloor("task", floor);
  const ours = await stage.openDatabase();
  const prompt = await plantPrompt(ours.sql, { handle: "idle" });
  await plantWebhooks(ours.sql, { userIds: [prompt.ownerId], url, event: eventName });
  const worker = await stage.startWorker(ours);

  const addJob: Write = (sql, nth) => {
    const body = JSON.stringify({ id: nth, event: eventName, createdAt: "", data: eventData(nth) });
    return sql`
      select graphile_worker.add_job('send', ${sql.json({ url, event: eventName, id: `${nth}`, body })}::json)`;
  };
  const sides = [
    { sql: floor.sql, write: addJob },
    { sql: ours.sql, write: writeEvent(prompt, ours) },
  ];
  await timesOf(receivers, { sides, count: warmUps });
  const [bare, times] = (await timesOf(receivers, { sides, count: events })) as [number[], number[]];
  for (const share of [50, 99]) {
    print(`commit to first byte, idle, p${share}`, {
      floor: percentile(bare, share),
      ours: percentile(times, share),
      unit: "ms",
    });
  }
  task.kill();
  await worker.stop();
}
