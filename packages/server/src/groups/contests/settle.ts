import { asApiError } from "../../kernel/failures/as-api-error.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { insertNotification, notifyAccounts } from "../notifications/index.ts";
import { type ChangeJob, lockDue, selectDue, selectParties, storeFirst } from "./result.sql.ts";

/** Computes the results that are due, each once, and tells those who took part. */
export async function settleDue(server: ServerContext): Promise<void> {
  for (const id of await selectDue(server.sql)) await settle(server, id);
}

const urlOf = ({ publicUrl }: ServerContext, { slug }: { slug: string }) => `${publicUrl}/contests/${slug}`;

const settle = (server: ServerContext, id: string) =>
  server.sql.begin(async (sql) => {
    const contest = await lockDue(sql, id);
    if (contest === null) return;
    await storeFirst(sql, id);
    const parties = await selectParties(sql, id);
    const about = { ...contest, url: urlOf(server, contest) };
    const told = parties.map(({ userId, rank }) => ({ userId, data: { ...about, rank } }));
    await notifyAccounts(sql, server, "contest.closed", told);
  });

/** The same for a read that came before the worker. While the database takes no writes, it shows a contest without its result. */
export async function settleForRead(server: ServerContext): Promise<void> {
  try {
    await settleDue(server);
  } catch (error) {
    if (asApiError(error).code !== "unavailable") throw error;
  }
}

/** Tells an account what another result changes for it, only once even if it runs again. */
export function tellChange(server: ServerContext, { contest, ...job }: ChangeJob): Promise<void> {
  const data = { prompt: null, actor: null, ...contest, url: urlOf(server, contest) };
  return insertNotification(server, { ...job, type: "contest.closed", subjectId: null, data });
}
