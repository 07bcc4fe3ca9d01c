import { randomBytes } from "node:crypto";
import { contract, listOperations, type OperationId } from "@promptreg/core";
import type postgres from "postgres";
import { readConfig } from "../../config.ts";
import { DatabaseSetupError } from "../../database/connection.ts";
import type { OpenDatabase } from "../../database/open.ts";
import { announceIn } from "../../kernel/changes/bus.ts";
import { openLog } from "../../kernel/failures/log.ts";
import { originOf, startServer } from "../../server.ts";
import { insertToken } from "../tokens.ts";
import { deletedPrefix } from "../users.ts";
import { auditOperator, userIdOf, visit } from "../visit.ts";
import { eraseAccount, eraseFiles, eraseTraces, eraseWorks, renameAuthor } from "./erase.sql.ts";
import { deletions, type Leaving } from "./requests.sql.ts";

export interface DeleteOptions {
  works: string;
  yes?: boolean;
}

/**
 * Deletes an account: first what it has, by the requests that it could send itself, so that all that follows from them happens, then
 * what stays of that, and at last the person. Interrupted, it can be run again.
 */
export const run = (handle: string, { works, yes = false }: DeleteOptions) =>
  visit(async (sql, database) => {
    if (works !== "keep" && works !== "delete")
      throw new DatabaseSetupError(
        "Say with --works what becomes of what others can see: keep, under another handle, or delete.",
      );
    const takesWorks = works === "delete";
    const accountId = await userIdOf(sql, handle);
    const leaving = { accountId, takesWorks };
    if (!yes) return await preview(sql, { handle, ...leaving });

    const token = await takeOver(sql, accountId);
    await withServer(database, async (url) => {
      for (const deletion of deletions) {
        const count = await deleteAll(sql, { url, token, deletion, leaving });
        if (count > 0) process.stderr.write(`${`${count}`.padStart(12)}  ${deletion.what}\n`);
      }
    });
    await eraseFiles(sql, accountId);
    const next = `${deletedPrefix}${randomBytes(6).toString("hex")}`;
    await sql.begin(async (sql) => {
      await sql`set local statement_timeout = 0`;
      await eraseWorks(sql, accountId);
      await eraseTraces(sql, accountId);
      await renameAuthor(sql, { accountId, handle: next });
      await sql`lock table former_handles in share row exclusive mode`;
      await eraseAccount(sql, { accountId, handle: next, leadsOn: !takesWorks });
      await sql`update tokens set revoked_at = clock() where user_id = ${accountId} and revoked_at is null`;
      await announceIn(sql, { id: accountId });
      await auditOperator(sql, { action: "user.delete", target: accountId, data: { works } });
    });
    process.stderr.write(
      takesWorks
        ? `Deleted ${handle}. What is left of it in things of others has the handle ${next}. Nobody else gets the handle ${handle}.\n`
        : `Deleted ${handle}. What it had made for others stays at ${next}, and addresses with ${handle} lead there.\n`,
    );
  });

async function preview(sql: postgres.Sql, { handle, ...leaving }: Leaving & { handle: string }) {
  process.stderr.write(`Deleting ${handle} would delete:\n`);
  for (const deletion of deletions) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int from (${deletion.rows(sql, leaving)}) found`;
    if (row && row.count > 0) process.stderr.write(`${`${row.count}`.padStart(12)}  ${deletion.what}\n`);
  }
  const [last] = await sql<{ role: string }[]>`
    select u.role from users u where u.id = ${leaving.accountId} and u.role <> 'user' and not exists (
      select from users o where o.role = u.role and o.id <> u.id and o.suspended_at is null)`;
  if (last) process.stderr.write(`${handle} is the only ${last.role}. Give somebody else that role first.\n`);
  throw new DatabaseSetupError("Nothing was deleted. It cannot be undone: say --yes to do it.");
}

/** Ends all tokens of an account, and gives one that lives as long as this takes. */
const takeOver = (sql: postgres.Sql, accountId: string): Promise<string> =>
  sql.begin(async (sql) => {
    await sql`update tokens set revoked_at = clock() where user_id = ${accountId} and revoked_at is null`;
    // A suspended account could not delete anything. Without a token nobody acts for it.
    await sql`update users set suspended_at = null where id = ${accountId}`;
    await announceIn(sql, { id: accountId });
    return await insertToken(sql, {
      userId: accountId,
      name: "deletion of the account",
      scopes: ["read", "write"],
      days: 1,
    });
  });

/** A server for these requests alone, that nobody else finds. */
async function withServer(database: OpenDatabase, act: (url: string) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const publicUrl = config.publicUrl ?? originOf(config.host, config.port);
  const own = { ...config, publicUrl, host: "127.0.0.1", port: 0, metrics: null, rateLimits: null };
  const duties = { serves: true, works: false, migrates: false };
  const server = await startServer({ config: own, database, log: openLog() }, duties);
  try {
    await act(server.url ?? "");
  } finally {
    await server.stop();
  }
}

const routes = new Map(listOperations(contract).map(({ id, operation }) => [id, operation.route]));

interface Row {
  params?: Record<string, string>;
  query?: Record<string, string>;
}

/** A request as fetch takes it. */
function requestOf(operation: OperationId, { params = {}, query = {} }: Row, body?: object) {
  const [method = "", path = ""] = routes.get(operation)?.split(" ") ?? [];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return {
    path: `/api/v1${filled}?${new URLSearchParams(query).toString()}`,
    init: {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    },
  };
}

/** What of it is hidden from the account, was deleted before, or cannot be deleted any more. */
const skipped = [404, 409, 410];

/** Sends the requests of a deletion, and gives how many succeeded. */
async function deleteAll(
  sql: postgres.Sql,
  {
    url,
    token,
    deletion,
    leaving,
  }: { url: string; token: string; deletion: (typeof deletions)[number]; leaving: Leaving },
): Promise<number> {
  const { operation, what, body } = deletion;
  let count = 0;
  // At once: a cursor would be cancelled by the timeout of statements.
  for (const row of await sql<Row[]>`select * from (${deletion.rows(sql, leaving)}) found`) {
    const { path, init } = requestOf(operation, row, body);
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    if (response.ok) count += 1;
    else if (response.status === 401)
      throw new DatabaseSetupError(
        "Another run of this command has taken over. This one ends, and did no harm.",
      );
    else if (!skipped.includes(response.status))
      throw new DatabaseSetupError(
        `Stopped at the ${what}: ${text.slice(0, 300)} Run the command again once that is mended.`,
      );
  }
  return count;
}
