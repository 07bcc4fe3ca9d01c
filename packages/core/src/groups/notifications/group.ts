import type { Group } from "../../group.ts";

/** What notifications bring beside their operations. */
export const notificationsGroup = {
  title: "Notifications",
  description: "What an account is told of, here and by mail.",
  ids: ["ntf"],
} as const satisfies Group;
