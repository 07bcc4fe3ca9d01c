import type { TargetKinds } from "../../target.ts";

export const importTargets = { import: { roles: { owner: "its owner" } } } as const satisfies TargetKinds;
