import type { TargetKinds } from "../../language/target.ts";

export const tagTargets = { tag: { roles: {} } } as const satisfies TargetKinds;
