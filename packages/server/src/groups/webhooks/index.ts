import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import * as deliveries from "./deliveries.ts";
import * as own from "./webhooks.ts";

export const webhooks: Handlers<Contract["webhooks"]> = { ...own, deliveries };
export { type Drains, openDrains } from "./drains.ts";
export { fanOut, forgetFormer } from "./fan-out.sql.ts";
export { turnPartitions } from "./partitions.sql.ts";
export { purgeWebhook } from "./purge.sql.ts";
export { giveUpWithdrawn } from "./withdrawn.sql.ts";
export { sweep } from "./sweep.sql.ts";
export { webhookTarget } from "./target.ts";
