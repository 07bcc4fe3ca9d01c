import { staff, type TargetKinds } from "../../language/target.ts";

export const collectionTargets = {
  collection: { roles: { owner: "its owner", ...staff } },
} as const satisfies TargetKinds;
