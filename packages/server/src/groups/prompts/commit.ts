import {
  type CheckedFile,
  checkFiles,
  type CommittedVersion,
  contentHash,
  type FileInput,
  type JsonText,
  limits,
  type OperationOf,
  type Origin,
  type Problem,
  readEntry,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";
import { promptUrl } from "../../kernel/emit.ts";
import type { Context } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import {
  insertBlobs,
  insertVersion,
  publishVersion,
  selectCommitted,
  selectContentHash,
} from "./commit.sql.ts";
import { extend } from "./printed.ts";
import { indexPrompt } from "./search.sql.ts";
import type { PromptRow } from "./target.ts";

/** Files that passed the rules, and their digest. */
export interface Content {
  files: CheckedFile[];
  contentHash: string;
}

/** Answers with every problem of a kind at once, so that mending takes one round. */
function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first) throw apiError(first.code, { message: first.message, details: problems });
}

/**
 * Checks files outside any transaction: hashing ten megabytes must hold no lock.
 * @throws {ApiError} `invalid_file` or `payload_too_large`.
 */
export async function checkContent(inputs: readonly FileInput[]): Promise<Content> {
  const { files, problems } = await checkFiles(inputs);
  refuse(problems);
  return { files, contentHash: await contentHash(files) };
}

/** What is committed to a locked prompt. */
export interface Commit {
  prompt: PromptRow;
  content: Content;
  message: string | null;
  origin: Origin;
}

/** Who commits, and what a write hands to its handler. */
interface Committing {
  sql: Sql;
  emit: Context<OperationOf<"prompts.create">>["emit"];
  caller: Caller;
  server: ServerContext;
}

export interface Committed {
  id: string;
  n: number;
  /** Its address for people. */
  url: string;
  /** The version as answers to writes show it: files without content, and the warnings. */
  json: JsonText<CommittedVersion>;
}

/**
 * Writes the next version of a locked prompt and tells of it: numbers have no gaps, because they are taken under its
 * row lock.
 * @throws {ApiError} `invalid_entry`, `invalid_variables`, `no_changes` or `quota_exceeded`.
 */
export async function commit(
  { sql, emit, caller, server: { publicUrl } }: Committing,
  { prompt, content, message, origin }: Commit,
): Promise<Committed> {
  const { warnings, problems, ...entry } = readEntry(prompt.kind, content.files, prompt.slug);
  refuse(problems);
  if (
    content.contentHash === (await selectContentHash(sql, { promptId: prompt.id, n: prompt.latestVersion }))
  ) {
    throw apiError("no_changes", { message: `The files equal those of version ${prompt.latestVersion}.` });
  }
  const n = prompt.lastVersion + 1;
  if (n > limits.versionsPerPrompt) {
    throw apiError("quota_exceeded", { message: `A prompt can have ${limits.versionsPerPrompt} versions.` });
  }
  await insertBlobs(sql, content.files);
  const version = { promptId: prompt.id, n, message, origin, ...content, ...entry };
  const id = await insertVersion(sql, version, caller);
  await publishVersion(sql, { promptId: prompt.id, n });
  await indexPrompt(sql, prompt.id);
  const { contentHash } = content;
  const url = promptUrl(publicUrl, prompt, n);
  const told = { id, versionNumber: n, message, contentHash, origin, url };
  await emit("prompt.version.created", { prompt }, { version: told });
  const committed = await selectCommitted(sql, id);
  return { id, n, url, json: extend(committed, `"warnings":${JSON.stringify(warnings)}`) };
}
