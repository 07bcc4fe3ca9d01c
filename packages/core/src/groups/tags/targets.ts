import type { TargetKinds } from "../../target.ts";

export const tagTargets = { tag: { roles: {} } } as const satisfies TargetKinds;
