import type { Group } from "../../language/group.ts";

/** What suggestions bring beside their operation. */
export const suggestionsGroup = {
  title: "AI suggestions",
  description:
    "Suggests what describes a prompt. Without a model of the operator's choice, the server's own rules do, and nothing leaves it.",
} as const satisfies Group;
