import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import { get } from "./get.ts";
import * as me from "./me.ts";

export const users: Handlers<Contract["users"]> = { get, me };
export { userTarget } from "./target.ts";
export { lockAccount, userRef } from "./users.sql.ts";
