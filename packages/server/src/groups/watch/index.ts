import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import * as handlers from "./watch.ts";

export const watch: Handlers<Contract["watch"]> = handlers;
