import type { Contract, RoutesOf } from "@promptreg/core";

/** Method and path of every operation. Written by `npm run generate`. */
export const routes = {
  "prompts.create": "POST /prompts",
  "prompts.get": "GET /prompts/{owner}/{slug}",
  "prompts.versions.create": "POST /prompts/{owner}/{slug}/versions",
  "prompts.versions.get": "GET /prompts/{owner}/{slug}/versions/{n}",
  "prompts.labels.put": "PUT /prompts/{owner}/{slug}/labels/{name}",
  "prompts.labels.delete": "DELETE /prompts/{owner}/{slug}/labels/{name}",
  "prompts.raw.get": "GET /prompts/{owner}/{slug}/raw",
  "webhooks.list": "GET /webhooks",
  "webhooks.create": "POST /webhooks",
  "webhooks.events": "GET /webhooks/events",
  "webhooks.get": "GET /webhooks/{id}",
  "webhooks.update": "PATCH /webhooks/{id}",
  "webhooks.delete": "DELETE /webhooks/{id}",
  "webhooks.test": "POST /webhooks/{id}/test",
  "webhooks.deliveries.list": "GET /webhooks/{id}/deliveries",
  "webhooks.deliveries.get": "GET /webhooks/{id}/deliveries/{deliveryId}",
  "webhooks.deliveries.redeliver": "POST /webhooks/{id}/deliveries/{deliveryId}/redeliver",
  "evals.runs.create": "POST /evals/runs",
  "evals.runs.update": "PATCH /evals/runs/{id}",
  "evals.runs.appendResults": "POST /evals/runs/{id}/results",
  "users.me.get": "GET /me",
} as const satisfies RoutesOf<Contract>;
