import { hash } from "node:crypto";
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
import type { Caller } from "../../kernel/accounts/caller.ts";
import { promptUrl } from "../../kernel/changes/emit.ts";
import type { Context } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { requireBytes } from "../../kernel/changes/account-bytes.ts";
import {
  countVersion,
  type Ground,
  insertBlobs,
  insertVersion,
  publishVersion,
  selectCommitted,
  selectGround,
} from "./commit.sql.ts";
import { extend } from "./printed.ts";
import { indexEntry } from "./search.sql.ts";
import type { PromptRow } from "./target.ts";
import { textHash } from "./text-hash.sql.ts";

/** Valid files, and their digest. */
export interface Content {
  files: CheckedFile[];
  contentHash: string;
}

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes);

/** Throws with all problems at once, so that the sender can fix them in one attempt. */
export function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first) throw apiError(first.code, { message: first.message, details: problems });
}

/**
 * Checks files. Call it outside transactions: hashing ten megabytes must not keep locks.
 * @throws {ApiError} `invalid_file` or `payload_too_large`.
 */
export async function checkContent(inputs: readonly FileInput[]): Promise<Content> {
  const { files, problems } = await checkFiles(inputs, sha256);
  refuse(problems);
  return { files, contentHash: await contentHash(files, sha256) };
}

/** The next version of a locked prompt. */
interface Next {
  prompt: PromptRow;
  contentHash: string;
  message: string | null;
  origin: Origin;
  warnings: readonly Warning[];
  /** The text of its entry file. */
  text: string;
  /** Its files whose content may have to be stored. */
  contents: readonly CheckedFile[];
  /** Sends all statements that write it. */
  write: (n: number, ground: Ground) => Promise<unknown>;
}

/** A commit to a locked prompt. */
export interface Commit extends Pick<Next, "prompt" | "message" | "origin"> {
  content: Content;
}

/** The part of a handler's context that a commit needs. */
interface Committing {
  sql: Sql;
  emit: Context<OperationOf<"prompts.versions.restore">>["emit"];
  caller: Caller;
  server: ServerContext;
}

export interface Committed {
  id: string;
  n: number;
  /** Its URL for people. */
  url: string;
  /** The version as responses to writes show it: files without content, and the warnings. */
  json: JsonText<CommittedVersion>;
}

/**
 * Adds the next version to a locked prompt, and emits its event. Numbers have no gaps, because they are assigned under the row
 * lock.
 * @throws {ApiError} `no_changes` or `quota_exceeded`.
 */
export async function addVersion(
  { sql, emit, server }: Committing,
  { prompt, contentHash, message, origin, warnings, text, contents, write }: Next,
): Promise<Committed> {
  const promptId = prompt.id;
  const ground = await selectGround(sql, { prompt, digests: contents.map(({ sha256 }) => sha256) });
  if (contentHash === ground.latestHash) {
    throw apiError("no_changes", { message: `The files equal those of version ${prompt.latestVersion}.` });
  }
  const n = prompt.lastVersion + 1;
  if (n > limits.versionsPerPrompt) {
    throw apiError("quota_exceeded", { message: `A prompt can have ${limits.versionsPerPrompt} versions.` });
  }
  const { id } = ground;
  const sizes = new Map(contents.map(({ sha256, size }) => [sha256, size]));
  const more = [...new Set(ground.missing)].reduce((sum, digest) => sum + sizes.get(digest)!, 0);
  requireBytes(server, { ...ground, more });
  const url = promptUrl(server.publicUrl, prompt, n);
  const data = { id, versionNumber: n, message, contentHash, origin, url };
  // Sent without waiting for each other. PostgreSQL runs them in this order.
  const [, , , , , committed] = await Promise.all([
    write(n, ground),
    countVersion(sql, { id, accountId: prompt.ownerId, contents: more }),
    publishVersion(sql, { promptId, n }),
    indexEntry(sql, promptId, text),
    emit("prompt.version.created", { prompt }, { version: data }),
    selectCommitted(sql, id),
  ]);
  return { id, n, url, json: jsonOf(committed, warnings) };
}

const textOf = ({ files }: Content, entry: string) =>
  new TextDecoder().decode(files.find(({ path }) => path === entry)?.bytes);

const jsonOf = (version: string, warnings: readonly Warning[]) =>
  extend<CommittedVersion>(version, `"warnings":${JSON.stringify(warnings)}`);

/** The response about a version that was committed earlier. Its warnings are not stored. */
export const readCommitted = async (sql: Sql, versionId: string): Promise<JsonText<CommittedVersion>> =>
  jsonOf(await selectCommitted(sql, versionId), []);

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
  const text = textOf(content, entry.entry);
  const hashed = await textHash(prompt.kind, text);
  const about = { prompt, contentHash, message, origin, warnings, text, contents: content.files };
  return addVersion(committing, {
    ...about,
    write: (n, { id, missing }) =>
      Promise.all([
        insertBlobs(sql, content.files, missing),
        insertVersion(
          sql,
          { id, promptId: prompt.id, n, message, origin, ...content, ...entry, textHash: hashed },
          caller,
        ),
      ]),
  });
}
