import type { OperationId } from "@promptreg/core";
import type { Handler } from "./handler.ts";
import * as cases from "./evals/cases.ts";
import { compare } from "./evals/compare.ts";
import { importCases } from "./evals/import.ts";
import * as datasets from "./evals/datasets.ts";
import * as runs from "./evals/runs.ts";
import { scores } from "./evals/scores.ts";
import * as labels from "./labels.ts";
import * as me from "./me.ts";
import * as prompts from "./prompts.ts";
import * as raw from "./raw.ts";
import { query } from "./search.ts";
import { suggest } from "./suggest.ts";
import * as versions from "./versions.ts";

/** The operations that this registry supports, by id. */
export const handlers: { readonly [Id in OperationId]?: Handler<Id> } = {
  "prompts.create": prompts.create,
  "prompts.get": prompts.get,
  "prompts.update": prompts.update,
  "prompts.delete": prompts.delete,
  "prompts.versions.list": versions.list,
  "prompts.versions.create": versions.create,
  "prompts.versions.get": versions.get,
  "prompts.versions.restore": versions.restore,
  "prompts.versions.yank": versions.yank,
  "prompts.versions.unyank": versions.unyank,
  "prompts.labels.list": labels.list,
  "prompts.labels.put": labels.put,
  "prompts.labels.delete": labels.delete,
  "prompts.raw.get": raw.get,
  "prompts.raw.getFile": raw.getFile,
  "users.me.get": me.get,
  "search.query": query,
  "search.suggest": suggest,
  "evals.compare": compare,
  "evals.datasets.list": datasets.list,
  "evals.datasets.create": datasets.create,
  "evals.datasets.get": datasets.get,
  "evals.datasets.update": datasets.update,
  "evals.datasets.delete": datasets.delete,
  "evals.datasets.cases.list": cases.list,
  "evals.datasets.cases.create": cases.create,
  "evals.datasets.cases.update": cases.update,
  "evals.datasets.cases.delete": cases.delete,
  "evals.datasets.import": importCases,
  "evals.runs.list": runs.list,
  "evals.runs.create": runs.create,
  "evals.runs.get": runs.get,
  "evals.runs.update": runs.update,
  "evals.runs.delete": runs.delete,
  "evals.runs.results": runs.results,
  "evals.runs.appendResults": runs.appendResults,
  "evals.scores": scores,
};
