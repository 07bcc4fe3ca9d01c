import { type Brought, brought } from "./groups.ts";
import type { TargetKind } from "./target.ts";

type All = Brought<"targets">;

/** A kind of target by its name, which is also its prefix where a request names one of several kinds: `prompt:owner/slug`. */
export type Kind = keyof All;
/** What a caller can be to a target of a kind. */
export type RoleOf<K extends Kind> = K extends Kind ? keyof All[K]["roles"] & string : never;

/** Every kind of target. */
export const targetKinds: Readonly<Record<Kind, TargetKind>> = /* @__PURE__ */ brought("targets");
