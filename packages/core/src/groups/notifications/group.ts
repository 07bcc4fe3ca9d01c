import type { Group } from "../../language/group.ts";

/** What the group defines in addition to its operations. */
export const notificationsGroup = {
  title: "Notifications",
  description: "What an account is notified of, here and by mail.",
  ids: ["ntf"],
} as const satisfies Group;
