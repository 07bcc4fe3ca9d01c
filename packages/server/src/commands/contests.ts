import { readFile } from "node:fs/promises";
import { ContestFile, describeIssue, slug as slugSchema } from "@promptreg/core";
import { DatabaseSetupError } from "../database/connection.ts";
import type { Sql } from "../database/sql.ts";
import { applyContest } from "../groups/contests/apply.ts";
import { lockContest } from "../groups/contests/apply.sql.ts";
import {
  disqualifyEntry,
  findContest,
  findEntry,
  listAllEntries,
  listContests,
  listResults,
  listVoters,
} from "../groups/contests/operator.sql.ts";
import { auditOperator, print, visit } from "./visit.ts";

/** Reads a contest from its file. @throws {DatabaseSetupError} that names what is wrong. */
async function readContest(path: string): Promise<ContestFile> {
  const text = await readFile(path, "utf8").catch(({ code }: NodeJS.ErrnoException) => {
    throw new DatabaseSetupError(
      code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    );
  });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new DatabaseSetupError(`${path} is no JSON: ${(error as Error).message}`);
  }
  const read = ContestFile.safeParse(content, { error: describeIssue });
  if (read.success) return read.data;
  const problems = read.error.issues.map(
    ({ path: at, message }) => `${at.join(".") || "the file"}: ${message}`,
  );
  throw new DatabaseSetupError(`${path} is no contest: ${problems.join("; ")}.`);
}

async function contestOf(sql: Sql, slug: string): Promise<string> {
  const id = slugSchema.safeParse(slug).success ? await findContest(sql, slug) : null;
  if (id !== null) return id;
  throw new DatabaseSetupError(`No contest ${slug}. List contests with \`promptreg-server contest list\`.`);
}

async function requireEntry(
  sql: Sql,
  { slug, ...named }: { slug: string; contestId: string; entryId: string },
) {
  const entry = await findEntry(sql, named);
  if (entry !== null) return entry;
  throw new DatabaseSetupError(
    `No entry ${named.entryId} in ${slug}. List its entries with \`promptreg-server contest show ${slug}\`.`,
  );
}

/** Makes a contest, or changes it as far as its rules may still change. */
export async function apply(path: string): Promise<void> {
  const { $schema: _, ...contest } = await readContest(path);
  await visit(async (sql) => {
    const changed = await sql.begin(async (sql) => {
      const { id, changed } = await applyContest(sql, contest);
      const action = changed === null ? "contest.create" : "contest.update";
      if (changed?.length !== 0)
        await auditOperator(sql, { action, target: id, data: { slug: contest.slug, changed } });
      return changed;
    });
    const said =
      changed === null
        ? `Created the contest ${contest.slug}.`
        : changed.length === 0
          ? `${contest.slug} is so already.`
          : `Changed ${changed.join(", ")} of ${contest.slug}.`;
    process.stderr.write(`${said}\n`);
  });
}

export const list = (options: { json?: boolean }) =>
  visit(async (sql) => print(await listContests(sql), options));

export const show = (slug: string, options: { json?: boolean }) =>
  visit(async (sql) => {
    const id = await contestOf(sql, slug);
    print(await listAllEntries(sql, id), options);
    for (const { n, decided, reason } of await listResults(sql, id))
      process.stderr.write(`Result ${n}, ${decided}${reason === null ? "" : `: ${reason}`}\n`);
  });

export const audit = (slug: string, entryId: string, options: { json?: boolean }) =>
  visit(async (sql) => {
    await requireEntry(sql, { slug, contestId: await contestOf(sql, slug), entryId });
    print(await listVoters(sql, entryId), options);
  });

export const disqualify = (slug: string, entryId: string, { reason }: { reason: string }) =>
  visit(async (sql) => {
    if (reason.trim() === "") throw new DatabaseSetupError("--reason must say why.");
    const contestId = await contestOf(sql, slug);
    const hasResult = await sql.begin(async (sql) => {
      await lockContest(sql, slug);
      const { isDisqualified } = await requireEntry(sql, { slug, contestId, entryId });
      if (isDisqualified) throw new DatabaseSetupError(`${entryId} is disqualified already.`);
      await auditOperator(sql, {
        action: "contest.disqualify",
        target: entryId,
        data: { contestId, reason },
      });
      return disqualifyEntry(sql, { contestId, entryId, reason });
    });
    process.stderr.write(
      hasResult
        ? `Disqualified ${entryId}. ${slug} has another result, without it.\n`
        : `Disqualified ${entryId}. It will have no place in the result of ${slug}.\n`,
    );
  });
