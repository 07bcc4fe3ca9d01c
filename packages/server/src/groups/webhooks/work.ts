import type { GroupWork } from "../../kernel/group.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { openDrains } from "./drains.ts";
import { forgetFormer, openFanOut } from "./fan-out.sql.ts";
import { turnPartitions } from "./partitions.sql.ts";
import { purgeWebhook } from "./purge.sql.ts";
import { sweep } from "./sweep.sql.ts";
import { giveUpWithdrawn } from "./withdrawn.sql.ts";

/** Brings events to those whom they concern, and sends deliveries. */
export function workOnDeliveries(server: ServerContext): GroupWork {
  const { sql } = server;
  const drains = openDrains(server);
  const fanOut = openFanOut(server, drains.wake);
  return {
    tasks: {
      // Servers of release 0.1.0 wake the worker by this job.
      fan_out: () => fanOut({ isComplete: false }),
      drain: ({ webhookIds }: { webhookIds: string[] }) => drains.wake(webhookIds),
      withdraw: (job: { promptId: string }) => giveUpWithdrawn(sql, job),
      purge_webhook: (job: { webhookId: string }) => purgeWebhook(sql, job),
    },
    wake: fanOut,
    async everyMinute() {
      await turnPartitions(sql);
      await forgetFormer(sql);
    },
    sweep: (options) => sweep(sql, options),
    idle: drains.idle,
    stop: drains.stop,
  };
}
