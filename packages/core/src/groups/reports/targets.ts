import { staff, type TargetKinds } from "../../language/target.ts";

export const reportTargets = {
  report: { roles: { reporter: "who reported it", ...staff } },
} as const satisfies TargetKinds;
