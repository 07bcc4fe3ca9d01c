import type { TargetKinds } from "../../language/target.ts";

export const userTargets = { user: { roles: {}, moves: true } } as const satisfies TargetKinds;
