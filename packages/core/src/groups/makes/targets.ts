import { staff, type TargetKinds } from "../../language/target.ts";

export const makeTargets = {
  make: { roles: { maker: "its maker", ...staff }, moves: true, isMissed: true },
  make_link: {
    roles: { maker: "its maker", owner: "the owner of the prompt", ...staff },
    moves: true,
    isMissed: true,
  },
} as const satisfies TargetKinds;
