import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import { create, events } from "./webhooks.ts";

export const webhooks: Handlers<Contract["webhooks"]> = { create, events };
export { drain } from "./drain.ts";
export { fanOut } from "./fan-out.sql.ts";
export { sweep } from "./sweep.sql.ts";
