import { staff, type TargetKinds } from "../../language/target.ts";

export const evalTargets = {
  dataset: { roles: { owner: "the owner of its prompt", ...staff }, isMissed: true },
  case: { roles: { owner: "the owner of its prompt", ...staff }, isMissed: true },
  run: {
    roles: {
      owner: "the owner of its prompt",
      reader: "the owner of its prompt",
      ...staff,
    },
    isMissed: true,
  },
} as const satisfies TargetKinds;
