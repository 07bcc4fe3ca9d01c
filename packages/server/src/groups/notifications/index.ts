import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import * as handlers from "./notifications.ts";

export const notifications: Handlers<Contract["notifications"]> = handlers;
export { insertNotifications, notifyDisabled } from "./insert.ts";
export { mail } from "./mail.ts";
export { sweepNotifications } from "./sweep.sql.ts";
