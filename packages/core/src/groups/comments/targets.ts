import { staff, type TargetKinds } from "../../language/target.ts";

export const commentTargets = {
  comment: { roles: { author: "its author", ...staff }, isMissed: true },
} as const satisfies TargetKinds;
