import { limits, type SavedWatch, type WatchedPrompt } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import { countOthers, deleteWatch, listWatches, selectWatch, watchState, writeWatch } from "./watch.sql.ts";

export const get: HandlerWith<"watch.get", {}> = {
  state: (sql, { viewerId }) => watchState(sql, viewerId),
  handle: async ({ caller, target: prompt, sql }) => ({
    status: 200,
    json: { watch: await selectWatch(sql, { userId: caller.id, promptId: prompt.id }) },
  }),
};

export const put: Handler<"watch.put"> = async ({ body: { level }, caller, target: prompt, sql }) => {
  const pair = { userId: caller.id, promptId: prompt.id };
  const before = await selectWatch(sql, pair);
  if (before?.level === level) return { status: 200, json: { watch: before } };
  await lockAccount(sql, caller.id);
  if ((await countOthers(sql, pair)) >= limits.watchesPerAccount) {
    throw apiError("quota_exceeded", {
      message: `An account can watch ${limits.watchesPerAccount} prompts. Stop watching one first.`,
    });
  }
  await writeWatch(sql, { ...pair, level });
  return { status: 200, json: { watch: await selectWatch(sql, pair) } as SavedWatch };
};

const remove: Handler<"watch.delete"> = async ({ caller, target: prompt, sql }) => {
  await deleteWatch(sql, { userId: caller.id, promptId: prompt.id });
  return { status: 204 };
};
export { remove as delete };

export const list: Handler<"watch.list"> = async ({ query: { level }, page, caller, sql, server }) => {
  const viewing = { caller, publicUrl: server.publicUrl };
  return page.reply<WatchedPrompt>(await listWatches(sql, viewing, { level, ...page }));
};
