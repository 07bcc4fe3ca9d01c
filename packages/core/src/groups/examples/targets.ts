import { staff, type TargetKinds } from "../../language/target.ts";

export const exampleTargets = {
  example: {
    roles: { author: "its author", owner: "the owner of its prompt", ...staff },
    moves: true,
    isMissed: true,
  },
} as const satisfies TargetKinds;
