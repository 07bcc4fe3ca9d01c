import {
  type CheckedFile,
  checkFiles,
  type CommittedVersion,
  contentHash,
  type FileInput,
  type JsonText,
  limits,
  type Origin,
  type Problem,
  type Warning,
  readEntry,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";
import {
  insertBlobs,
  insertVersion,
  publishVersion,
  selectCommitted,
  selectContentHash,
} from "./commit.sql.ts";
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
  prompt: Pick<PromptRow, "id" | "kind" | "slug" | "lastVersion" | "latestVersion">;
  content: Content;
  message: string | null;
  origin: Origin;
  author: Caller;
}

export interface Committed {
  id: string;
  n: number;
  /** The version as answers to writes show it: files without content, and the warnings. */
  json: JsonText<CommittedVersion>;
}

/**
 * Writes the next version of a locked prompt: numbers have no gaps, because they are taken under its row lock.
 * @throws {ApiError} `invalid_entry`, `invalid_variables`, `no_changes` or `quota_exceeded`.
 */
export async function commit(
  sql: Sql,
  { prompt, content, message, origin, author }: Commit,
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
  const id = await insertVersion(sql, version, author);
  await publishVersion(sql, { promptId: prompt.id, n });
  return { id, n, json: withWarnings(await selectCommitted(sql, id), warnings) };
}

const withWarnings = (version: string, warnings: Warning[]) =>
  `${version.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}` as JsonText<CommittedVersion>;
