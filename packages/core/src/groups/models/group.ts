import type { Group } from "../../language/group.ts";

/** What models bring beside their operations. */
export const modelsGroup = {
  title: "Models",
  description: "A catalogue of models, for forms and programs. Any model name is accepted elsewhere.",
} as const satisfies Group;
