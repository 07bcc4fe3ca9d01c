import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import * as me from "./me.ts";

export const users: Handlers<Contract["users"]> = { me };
export { lockAccount, userRef } from "./users.sql.ts";
