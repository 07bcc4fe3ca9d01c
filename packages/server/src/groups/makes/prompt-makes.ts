import type { LinkedMake } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { selectFamily } from "./family.sql.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { selectGallery, selectInbox } from "./prompt-makes.sql.ts";

export const gallery: Handler<"makes.gallery"> = async ({
  query: { version },
  caller,
  target: prompt,
  page,
  sql,
  server,
}) =>
  page.reply<LinkedMake>(
    await selectGallery(sql, { promptId: prompt.id, version, page, ...lookingOf(caller, server) }),
  );

export const inbox: Handler<"makes.inbox"> = async ({ query, caller, page, sql, server }) =>
  page.reply<LinkedMake>(await selectInbox(sql, { ...query, page, ...lookingOf(caller, server), caller }));

export const familyTree: Handler<"makes.familyTree"> = async ({
  query: { depth = 3 },
  caller,
  target: prompt,
  sql,
  server: { publicUrl },
}) => ({ status: 200, json: await selectFamily(sql, { promptId: prompt.id, depth, caller, publicUrl }) });
