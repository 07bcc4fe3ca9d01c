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
  type Warning,
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

/** What becomes the next version of a locked prompt. */
interface Next {
  prompt: PromptRow;
  contentHash: string;
  message: string | null;
  origin: Origin;
  warnings: readonly Warning[];
  /** Writes it under the number that it is given, and gives its id. */
  write: (n: number) => Promise<string>;
}

/** What is committed to a locked prompt. */
export interface Commit extends Pick<Next, "prompt" | "message" | "origin"> {
  content: Content;
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
 * Gives a locked prompt its next version and tells of it: numbers have no gaps, because they are taken under its row
 * lock.
 * @throws {ApiError} `no_changes` or `quota_exceeded`.
 */
export async function addVersion(
  { sql, emit, server: { publicUrl } }: Committing,
  { prompt, contentHash, message, origin, warnings, write }: Next,
): Promise<Committed> {
  if (contentHash === (await selectContentHash(sql, { promptId: prompt.id, n: prompt.latestVersion }))) {
    throw apiError("no_changes", { message: `The files equal those of version ${prompt.latestVersion}.` });
  }
  const n = prompt.lastVersion + 1;
  if (n > limits.versionsPerPrompt) {
    throw apiError("quota_exceeded", { message: `A prompt can have ${limits.versionsPerPrompt} versions.` });
  }
  const id = await write(n);
  await publishVersion(sql, { promptId: prompt.id, n });
  await indexPrompt(sql, prompt.id);
  const url = promptUrl(publicUrl, prompt, n);
  const told = { id, versionNumber: n, message, contentHash, origin, url };
  await emit("prompt.version.created", { prompt }, { version: told });
  const committed = await selectCommitted(sql, id);
  return { id, n, url, json: extend(committed, `"warnings":${JSON.stringify(warnings)}`) };
}

/**
 * Commits checked files to a locked prompt.
 * @throws {ApiError} `invalid_entry`, `invalid_variables`, `no_changes` or `quota_exceeded`.
 */
export async function commit(
  committing: Committing,
  { prompt, content, message, origin }: Commit,
): Promise<Committed> {
  const { sql, caller } = committing;
  const { contentHash } = content;
  const { warnings, problems, ...entry } = readEntry(prompt.kind, content.files, prompt.slug);
  refuse(problems);
  const write = async (n: number) => {
    await insertBlobs(sql, content.files);
    return insertVersion(sql, { promptId: prompt.id, n, message, origin, ...content, ...entry }, caller);
  };
  return addVersion(committing, { prompt, contentHash, message, origin, warnings, write });
}
