import type { TargetKinds } from "../../language/target.ts";

export const contestTargets = {
  contest: { roles: { judge: "one of its judges" } },
  contest_entry: { roles: { entrant: "who entered it", judge: "a judge of the contest" } },
} as const satisfies TargetKinds;
