import { type Brought, brought } from "./groups.ts";
import type { TargetKind } from "../language/target.ts";

type All = Brought<"targets">;

/** The name of a kind of target. It is also the prefix in a request with several possible kinds: `prompt:owner/slug`. */
export type Kind = keyof All;
/** The roles of a kind. */
export type RoleOf<K extends Kind> = K extends Kind ? keyof All[K]["roles"] & string : never;

/** Every kind of target. */
export const targetKinds: Readonly<Record<Kind, TargetKind>> = /* @__PURE__ */ brought("targets");
