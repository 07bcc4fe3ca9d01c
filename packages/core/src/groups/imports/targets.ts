import type { TargetKinds } from "../../language/target.ts";

export const importTargets = { import: { roles: { owner: "its owner" } } } as const satisfies TargetKinds;
