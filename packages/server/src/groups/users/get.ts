import type { HandlerWith } from "../../kernel/handler.ts";
import { selectUser, userState } from "./users.sql.ts";

export const get: HandlerWith<"users.get", {}> = {
  state: userState,
  handle: async ({ target: user, sql, server: { publicUrl } }) => ({
    status: 200,
    json: await selectUser(sql, { userId: user.id, publicUrl }),
  }),
};
