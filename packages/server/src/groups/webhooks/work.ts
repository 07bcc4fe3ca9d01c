import type { GroupWork } from "../../kernel/group.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { openDrains } from "./drains.ts";
import { fanOut, forgetFormer } from "./fan-out.sql.ts";
import { turnPartitions } from "./partitions.sql.ts";
import { purgeWebhook } from "./purge.sql.ts";
import { sweep } from "./sweep.sql.ts";
import { giveUpWithdrawn } from "./withdrawn.sql.ts";

/** Brings events to those whom they concern, and sends deliveries. */
export function workOnDeliveries(server: ServerContext): GroupWork {
  const { sql } = server;
  const drains = openDrains(server);
  return {
    tasks: {
      fan_out: (event: { day: string; eventId: string }) => fanOut(server, event, drains.wake),
      drain: ({ webhookIds }: { webhookIds: string[] }) => drains.wake(webhookIds),
      withdraw: (job: { promptId: string }) => giveUpWithdrawn(sql, job),
      purge_webhook: (job: { webhookId: string }) => purgeWebhook(sql, job),
    },
    async everyMinute() {
      await turnPartitions(sql);
      await forgetFormer(sql);
    },
    sweep: (options) => sweep(sql, options),
    idle: drains.idle,
    stop: drains.stop,
  };
}
