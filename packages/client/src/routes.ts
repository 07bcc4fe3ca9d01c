import type { Routes } from "@promptreg/core";
import { expandRoutes } from "./expand-routes.ts";

/** Method and path of every operation. Written by `npm run generate`. */
export const routes = /* @__PURE__ */ expandRoutes(
  "prompts /prompts list create+ get/$ update~/$ delete-/$ diff/$/diff/{range}\nprompts.draft /prompts/$/draft get put= delete-\nprompts.versions /prompts/$/versions list create+ get/{n} restore+/{n}/restore yank+/{n}/yank unyank-/{n}/yank\nprompts.labels /prompts/$/labels list put=/{name} delete-/{name} history/{name}/history\nprompts.raw /prompts/$/raw get getFile/{path*}\nwebhooks /webhooks list create+ events/events get/{id} update~/{id} delete-/{id} test+/{id}/test\nwebhooks.deliveries /webhooks/{id}/deliveries list get/{deliveryId} redeliver+/{deliveryId}/redeliver\nevals.runs /evals/runs list create+ get/{id} update~/{id} results/{id}/results appendResults+/{id}/results\nusers /users/{handle} get\nusers.me /me get update~\nwatch  get/prompts/$/watch put=/prompts/$/watch delete-/prompts/$/watch list/me/watches\nnotifications /notifications list count/count markRead+/read unsubscribePage/unsubscribe unsubscribe+/unsubscribe",
) as Routes;
