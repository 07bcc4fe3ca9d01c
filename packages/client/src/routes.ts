import type { Contract, RoutesOf } from "@promptreg/core";

/** Method and path of every operation. Written by `npm run generate`. */
export const routes = {
  "prompts.list": "GET /prompts",
  "prompts.create": "POST /prompts",
  "prompts.get": "GET /prompts/{owner}/{slug}",
  "prompts.update": "PATCH /prompts/{owner}/{slug}",
  "prompts.delete": "DELETE /prompts/{owner}/{slug}",
  "prompts.versions.create": "POST /prompts/{owner}/{slug}/versions",
  "prompts.versions.get": "GET /prompts/{owner}/{slug}/versions/{n}",
  "prompts.labels.put": "PUT /prompts/{owner}/{slug}/labels/{name}",
  "prompts.labels.delete": "DELETE /prompts/{owner}/{slug}/labels/{name}",
  "prompts.raw.get": "GET /prompts/{owner}/{slug}/raw",
  "webhooks.create": "POST /webhooks",
  "webhooks.events": "GET /webhooks/events",
  "evals.runs.create": "POST /evals/runs",
  "evals.runs.update": "PATCH /evals/runs/{id}",
  "evals.runs.appendResults": "POST /evals/runs/{id}/results",
  "users.me.get": "GET /me",
} as const satisfies RoutesOf<Contract>;
