import { brought } from "./groups.ts";

/** The limits of all groups. */
export const limits = brought("limits");
