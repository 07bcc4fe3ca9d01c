import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import { create, events } from "./webhooks.ts";

export const webhooks: Handlers<Contract["webhooks"]> = { create, events };
