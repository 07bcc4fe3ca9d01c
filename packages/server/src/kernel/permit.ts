import { type About, type FieldAccess, type Kind, targetKinds } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Caller } from "./caller.ts";
import type { TargetKind } from "./target.ts";

/** A target as it was found, and what the operation says of it. */
interface Found<Row extends object> {
  about: About;
  kind: Kind;
  target: TargetKind<Row>;
  row: Row | null;
}

/** What single fields take, and the names of those that were sent. */
export interface SentFields {
  rules: { readonly [field: string]: FieldAccess | undefined };
  names: readonly string[];
}

const noFields: SentFields = { rules: {}, names: [] };

/**
 * Lets a caller pass who may act on a target, and send the fields that they sent.
 * @throws {ApiError} `not_found` for what the caller may not know of, `gone`, or `forbidden` for what they can see.
 */
export function permit<Row extends object>(
  { about, kind, target, row }: Found<Row>,
  caller: Caller | null,
  { rules, names }: SentFields = noFields,
): Row {
  const visibility = row === null ? "hidden" : target.visibility(row, caller);
  if (row === null || visibility === "hidden") throw apiError("not_found");
  if (visibility === "gone") throw apiError("gone");
  if (visibility !== "visible") throw visibility;
  const allowed = about.on[kind] ?? "viewers";
  if (allowed === "viewers" && !about.refuse) return row;
  const own = rolesOf(target, row, caller);
  for (const [role, code] of Object.entries(about.refuse ?? {}))
    if (code && own.has(role)) throw apiError(code);
  if (allowed === "viewers") return row;
  const mayAct = (roles: readonly string[]) => roles.some((role) => own.has(role));
  const ruled = Object.values(rules).flatMap((rule) => rule?.allow ?? []);
  if (!mayAct([...allowed, ...ruled])) throw apiError(about.otherwise ?? "forbidden", onlyFor(kind, allowed));
  const denied = names.filter((name) => !mayAct(rules[name]?.allow ?? allowed));
  if (denied.length > 0)
    throw apiError("forbidden", onlyFor(kind, rules[denied[0] ?? ""]?.allow ?? allowed, denied));
  return row;
}

function rolesOf<Row extends object>(target: TargetKind<Row>, row: Row, caller: Caller | null): Set<string> {
  if (caller === null) return new Set();
  const staff = { user: [], moderator: ["moderator"], admin: ["moderator", "admin"] }[caller.role];
  return new Set([...target.roles(row, caller), ...staff]);
}

/** The refusal that names whoever could do it. */
function onlyFor(kind: Kind, roles: readonly string[], fields: readonly string[] = []): { message: string } {
  const names = roles.map((role) => targetKinds[kind].roles[role] ?? role).join(" or ");
  const what =
    fields.length > 0 ? `change ${fields.join(", ")} of this ${kind.replaceAll("_", " ")}` : "do this";
  return { message: `You do not have permission to ${what}: only ${names} can.` };
}

/**
 * Holds what was sent against the rules of fields that need no target.
 * @throws {ApiError} `unauthenticated` or `token_scope`.
 */
export function permitFields(
  rules: SentFields["rules"] | undefined,
  sent: object | undefined,
  caller: Caller | null,
): void {
  for (const [name, rule] of Object.entries(rules ?? {})) {
    const value = (sent as Record<string, unknown> | undefined)?.[name];
    if (rule === undefined || value === undefined) continue;
    if (rule.callerFor === value && caller === null) {
      throw apiError("unauthenticated", {
        message: `${name}=${String(value)} needs a token with the scope read.`,
      });
    }
    if (rule.scope && caller && !caller.scopes.includes(rule.scope)) {
      throw apiError("token_scope", { message: `${name} needs a token with the scope ${rule.scope}.` });
    }
  }
}
