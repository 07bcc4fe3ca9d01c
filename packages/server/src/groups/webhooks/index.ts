import type { ServerGroup } from "../../kernel/group.ts";
import * as deliveries from "./deliveries.ts";
import { webhookTarget } from "./target.ts";
import * as own from "./webhooks.ts";
import { workOnDeliveries } from "./work.ts";

export const webhooks = {
  handlers: { ...own, deliveries },
  targets: { webhook: webhookTarget },
  work: workOnDeliveries,
} satisfies ServerGroup<"webhooks">;
