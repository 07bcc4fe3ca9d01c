import type { Group } from "../../language/group.ts";

/** What installs bring beside their operations. */
export const installsGroup = {
  title: "Installs",
  description: "How often prompts are installed, and for which tools.",
} as const satisfies Group;
