import type { TargetKinds } from "../../target.ts";

export const userTargets = { user: { roles: {}, moves: true } } as const satisfies TargetKinds;
