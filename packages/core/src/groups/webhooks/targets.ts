import type { TargetKinds } from "../../language/target.ts";

export const webhookTargets = { webhook: { roles: { owner: "its owner" } } } as const satisfies TargetKinds;
