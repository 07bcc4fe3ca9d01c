import type { Group } from "../../language/group.ts";

/** What opening prompts brings beside its operations. */
export const openInGroup = {
  title: "Open in",
  description:
    "Links that open a prompt in another tool. They write its text into an input and never send it.",
} as const satisfies Group;
