import { tell } from "../../../test/notified.ts";
import { each, expectDone, type GroupScenes, type Stage } from "../../../test/scenes.ts";
import { notifyDisabled } from "./index.ts";
import { printToken } from "./token.ts";

const newFiles = [{ path: "PROMPT.md", content: "Told of" }];
/** The query of a link in a mail to the owner. */
const link = ({ server, owner }: Stage) => ({
  t: printToken(server.context.secrets, { user: owner.id, list: "prompt.deleted", exp: 4e9 }),
});

export const scenes: GroupScenes<"notifications"> = {
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) {
          const { address: webhookId } = (await stage.make("webhook")).thing;
          const { sql, context } = stage.server;
          await sql.begin((transaction) => notifyDisabled(transaction, context, { webhookId }));
        }
      },
      list: {
        path: "/notifications",
        queries: [
          "",
          ...each("unread", "true false"),
          ...each("type", "prompt.version.created webhook.disabled prompt.deleted"),
          ...each("unread=true&type", "prompt.label.moved webhook.disabled"),
        ],
      },
    },
    // It is requested often, and costs as little as its ETag would.
    count: { etag: "none" },
    markRead: { body: { all: true }, isEchoing: true },
    // One person opens the page once.
    unsubscribePage: { query: link, etag: "none" },
    unsubscribe: { query: link },
  },
  shows: async ({ server, owner, viewer }, { address, word, isDraft }) => {
    if (isDraft) return;
    await expectDone(owner, `PUT /prompts/${address}/labels/told`, { versionNumber: 1, reason: word });
    await tell(server, viewer);
  },
  changes: {
    "a notification": async ({ server, owner, viewer }, { prompt }) => {
      await expectDone(owner, `POST /prompts/${prompt.address}/versions`, { files: newFiles });
      await tell(server, viewer);
    },
    "that it was read": ({ viewer }) => expectDone(viewer, "POST /notifications/read", { all: true }),
  },
};
