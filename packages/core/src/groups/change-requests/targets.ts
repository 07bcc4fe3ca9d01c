import { staff, type TargetKinds } from "../../language/target.ts";

export const changeRequestTargets = {
  change_request: {
    roles: { author: "its author", owner: "the owner of its prompt", ...staff },
    moves: true,
    isMissed: true,
  },
} as const satisfies TargetKinds;
