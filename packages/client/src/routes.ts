import type { Contract, RoutesOf } from "@promptreg/core";

/** Method and path of every operation. Written by `npm run generate`. */
export const routes = {
  "prompts.create": "POST /prompts",
  "prompts.get": "GET /prompts/{owner}/{slug}",
  "prompts.draft.get": "GET /prompts/{owner}/{slug}/draft",
  "prompts.draft.put": "PUT /prompts/{owner}/{slug}/draft",
  "prompts.draft.delete": "DELETE /prompts/{owner}/{slug}/draft",
  "prompts.versions.create": "POST /prompts/{owner}/{slug}/versions",
  "prompts.versions.get": "GET /prompts/{owner}/{slug}/versions/{n}",
  "prompts.labels.put": "PUT /prompts/{owner}/{slug}/labels/{name}",
  "prompts.labels.delete": "DELETE /prompts/{owner}/{slug}/labels/{name}",
  "prompts.raw.get": "GET /prompts/{owner}/{slug}/raw",
  "prompts.raw.getFile": "GET /prompts/{owner}/{slug}/raw/{path*}",
  "webhooks.create": "POST /webhooks",
  "webhooks.events": "GET /webhooks/events",
  "evals.runs.create": "POST /evals/runs",
  "evals.runs.update": "PATCH /evals/runs/{id}",
  "evals.runs.appendResults": "POST /evals/runs/{id}/results",
  "users.get": "GET /users/{handle}",
  "users.me.get": "GET /me",
  "users.me.update": "PATCH /me",
  "watch.get": "GET /prompts/{owner}/{slug}/watch",
  "watch.put": "PUT /prompts/{owner}/{slug}/watch",
  "watch.delete": "DELETE /prompts/{owner}/{slug}/watch",
  "watch.list": "GET /me/watches",
} as const satisfies RoutesOf<Contract>;
