import { brought } from "./groups.ts";

/** How many there may be of what grows, as the groups say it. */
export const limits = brought("limits");
