import { staff, type TargetKinds } from "../../language/target.ts";

export const mediaTargets = {
  media: { roles: { owner: "their owner", ...staff } },
} as const satisfies TargetKinds;
