import { staff, type TargetKinds } from "../../target.ts";

export const evalTargets = {
  run: { roles: { owner: "the owner of its prompt", ...staff }, isMissed: true },
} as const satisfies TargetKinds;
