import type { Contract, RoutesOf } from "@promptreg/core";

/** Method and path of every operation. Written by `npm run generate`. */
export const routes = {
  "prompts.create": "POST /prompts",
  "prompts.get": "GET /prompts/{owner}/{slug}",
  "prompts.versions.list": "GET /prompts/{owner}/{slug}/versions",
  "prompts.versions.create": "POST /prompts/{owner}/{slug}/versions",
  "prompts.versions.get": "GET /prompts/{owner}/{slug}/versions/{n}",
  "prompts.versions.restore": "POST /prompts/{owner}/{slug}/versions/{n}/restore",
  "prompts.versions.yank": "POST /prompts/{owner}/{slug}/versions/{n}/yank",
  "prompts.versions.unyank": "DELETE /prompts/{owner}/{slug}/versions/{n}/yank",
  "prompts.labels.list": "GET /prompts/{owner}/{slug}/labels",
  "prompts.labels.put": "PUT /prompts/{owner}/{slug}/labels/{name}",
  "prompts.labels.delete": "DELETE /prompts/{owner}/{slug}/labels/{name}",
  "prompts.labels.history": "GET /prompts/{owner}/{slug}/labels/{name}/history",
  "prompts.raw.get": "GET /prompts/{owner}/{slug}/raw",
  "prompts.diff": "GET /prompts/{owner}/{slug}/diff/{range}",
  "webhooks.create": "POST /webhooks",
  "webhooks.events": "GET /webhooks/events",
  "evals.runs.list": "GET /evals/runs",
  "evals.runs.create": "POST /evals/runs",
  "evals.runs.get": "GET /evals/runs/{id}",
  "evals.runs.update": "PATCH /evals/runs/{id}",
  "evals.runs.results": "GET /evals/runs/{id}/results",
  "evals.runs.appendResults": "POST /evals/runs/{id}/results",
  "users.me.get": "GET /me",
} as const satisfies RoutesOf<Contract>;
