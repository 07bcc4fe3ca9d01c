import { asApiError } from "../../kernel/failures/as-api-error.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { notifyAccounts } from "../notifications/index.ts";
import { lockDue, selectDue, selectParties, storeFirst } from "./result.sql.ts";

/** Computes the results that are due, each once, and tells those who took part. */
export async function settleDue(server: ServerContext): Promise<void> {
  for (const id of await selectDue(server.sql)) await settle(server, id);
}

const settle = (server: ServerContext, id: string) =>
  server.sql.begin(async (sql) => {
    const contest = await lockDue(sql, id);
    if (contest === null) return;
    await storeFirst(sql, id);
    const parties = await selectParties(sql, id);
    const about = { ...contest, url: `${server.publicUrl}/api/v1/contests/${contest.slug}` };
    const told = parties.map(({ userId, rank }) => ({ userId, data: { ...about, rank } }));
    if (told.length > 0) await notifyAccounts(sql, server, "contest.closed", told);
  });

/** The same for a read that came before the worker. While the database takes no writes, it shows a contest without its result. */
export async function settleForRead(server: ServerContext): Promise<void> {
  try {
    await settleDue(server);
  } catch (error) {
    if (asApiError(error).code !== "unavailable") throw error;
  }
}
