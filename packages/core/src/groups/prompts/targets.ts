import { staff, type TargetKinds } from "../../language/target.ts";

export const promptTargets = {
  prompt: { roles: { owner: "its owner", ...staff }, moves: true, isMissed: true },
  /** A version below the address of its prompt. */
  version: {
    roles: {
      owner: "the owner of its prompt",
      yanker: "whoever yanked it (the owner, or a moderator who does not own the prompt)",
      ...staff,
    },
    moves: true,
    isMissed: true,
  },
} as const satisfies TargetKinds;
