import { staff, type TargetKinds } from "../../language/target.ts";

export const postTargets = {
  post: { roles: { author: "its author", ...staff }, isMissed: true },
  series: { roles: { owner: "its owner", ...staff } },
} as const satisfies TargetKinds;
