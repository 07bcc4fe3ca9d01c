import type { Handlers } from "../kernel/handler.ts";
import type { TargetLoaders } from "../kernel/target.ts";
import { evals, runTarget } from "./evals/index.ts";
import { notifications } from "./notifications/index.ts";
import { prompts, promptTarget } from "./prompts/index.ts";
import { users, userTarget } from "./users/index.ts";
import { watch } from "./watch/index.ts";
import { webhooks, webhookTarget } from "./webhooks/index.ts";

/** The handler of every operation; one that is missing does not compile. */
export const handlers: Handlers = { prompts, webhooks, evals, users, watch, notifications };

/** How each kind of target is found. */
export const targets: TargetLoaders = {
  prompt: promptTarget,
  run: runTarget,
  user: userTarget,
  webhook: webhookTarget,
};
