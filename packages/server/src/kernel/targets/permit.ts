import { type About, type FieldAccess, type Kind, onlyFor } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Caller } from "../accounts/caller.ts";
import type { Named } from "./load.ts";
import type { Aim } from "../mounted.ts";
import type { AnyRow } from "../target.ts";

/** A target and its row. */
export interface Found {
  aim: Pick<Aim, "about" | "kinds">;
  named: Named;
  row: AnyRow | null | undefined;
  isWrite?: boolean;
}

/** The access rules of fields, and the names of the fields that were sent. */
export interface SentFields {
  rules: { readonly [field: string]: FieldAccess | undefined };
  names: readonly string[];
}

const noFields: SentFields = { rules: {}, names: [] };

/**
 * Checks whether a caller may act on a target, and send these fields.
 * @throws {ApiError} `not_found` if the caller cannot see it, `gone`, or `forbidden` if they can see it.
 */
export function permit(
  { aim: { about, kinds }, named, row, isWrite = false }: Found,
  caller: Caller | null,
  { rules, names }: SentFields = noFields,
): AnyRow {
  const { kind, target } = named.kind;
  if (!row) throw apiError("not_found");
  const allowed = about.on[kind] ?? "viewers";
  // Moderators see more, to moderate it. They take part in what everybody who sees it takes part in.
  const viewer = isWrite && allowed === "viewers" ? caller && { ...caller, role: "user" as const } : caller;
  const visibility = target.visibility(row, viewer);
  if (visibility === "hidden") throw apiError("not_found");
  if (visibility === "gone") throw apiError("gone");
  if (visibility !== "visible") throw visibility;
  if (allowed !== "viewers" || about.refuse)
    requireRole({ kind, about, allowed, own: rolesOf(named.kind, row, caller) }, { rules, names });
  return kinds.length === 1 ? row : Object.assign(row, { type: kind });
}

function requireRole(
  {
    kind,
    about,
    allowed,
    own,
  }: { kind: Kind; about: About; allowed: "viewers" | readonly string[]; own: ReadonlySet<string> },
  { rules, names }: SentFields,
): void {
  for (const [role, code] of Object.entries(about.refuse ?? {}))
    if (code && own.has(role)) throw apiError(code);
  if (allowed === "viewers") return;
  const mayAct = (roles: readonly string[]) => roles.some((role) => own.has(role));
  const ruled = Object.values(rules).flatMap((rule) => rule?.allow ?? []);
  if (!mayAct([...allowed, ...ruled]))
    throw about.otherwise
      ? apiError(about.otherwise)
      : apiError("forbidden", { message: onlyFor(kind, allowed) });
  const rolesFor = (name: string) => rules[name]?.allow ?? allowed;
  const denied = names.filter((name) => !mayAct(rolesFor(name)));
  const [first] = denied;
  if (first === undefined) return;
  const alike = denied.filter((name) => rolesFor(name) === rolesFor(first));
  throw apiError("forbidden", { message: onlyFor(kind, rolesFor(first), alike) });
}

function rolesOf({ target }: Named["kind"], row: AnyRow, caller: Caller | null): Set<string> {
  const shared = target.rolesOfAll?.(row) ?? [];
  if (caller === null) return new Set(shared);
  const staff = { user: [], moderator: ["moderator"], admin: ["moderator", "admin"] }[caller.role];
  return new Set([...shared, ...target.roles(row, caller), ...staff]);
}
