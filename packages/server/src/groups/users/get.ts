import type { Handler } from "../../kernel/handler.ts";
import { tagOf } from "../../kernel/page.ts";
import { selectUser } from "./users.sql.ts";

export const get: Handler<"users.get"> = async ({ target: user, sql, server: { publicUrl } }) => {
  const json = await selectUser(sql, { userId: user.id, publicUrl });
  return { status: 200, json, etag: `W/${user.revision}.${tagOf(json)}` };
};
