import type { ErrorCode } from "./errors.ts";
import type { Scope } from "./scope.ts";
import { type Kind, type RoleOf, targetKinds } from "./targets.ts";

/** The kinds that a target can be of, each with the roles that may act on it; `viewers` are all who can see it. */
export type On = { readonly [K in Kind]?: "viewers" | readonly RoleOf<K>[] };

/** A thing that an operation is about. It must exist, be visible to the caller and let them act before the handler runs. */
export interface About {
  on: On;
  /**
   * The field that holds its address, where the path does not: `body.prompt`, `query.target`, `body.source.ref`. Where it can
   * be of several kinds, the field names one: `"prompt:owner/slug"` in a query, `{ type, id }` in a body. With `?` at its
   * end the field can be absent, and the target is null then.
   */
  from?: `${"body" | "query"}.${string}`;
  /** The code that answers a caller in this role: nobody votes for what is their own. */
  refuse?: { readonly [R in string]?: ErrorCode };
  /** The code in place of `forbidden` for whoever sees it and has none of the roles. */
  otherwise?: ErrorCode;
}

/** Who may call an operation. Handlers check none of it again. */
export interface Access extends Partial<About> {
  /** `optional` works without a token and shows more with one. */
  auth: "optional" | "required";
  /** The scope a token must hold; `evals:write` is met by `write` as well, `none` by every valid token. */
  scope: Scope | "none";
  /** Further things it is about, by the names under which the handler gets them. Hidden ones are answered as missing. */
  with?: { readonly [name: string]: About & Required<Pick<About, "from">> };
}

/** What sending one field of a body, or of a read's query, takes beyond its operation. */
export interface FieldAccess<R extends string = string> {
  /** The roles that may send it, in place of those of `on`. */
  allow?: readonly R[];
  /** A scope beside that of the operation. */
  scope?: Scope;
  /** With this value it is about the caller, so that there must be one. */
  callerFor?: string | boolean;
}

/** The things that an operation is about, the one that its address names first. */
export const aboutsOf = ({ on, from, refuse, otherwise, with: others = {} }: Access): About[] => [
  ...(on ? [{ on, ...(from && { from }), ...(refuse && { refuse }), ...(otherwise && { otherwise }) }] : []),
  ...Object.values(others),
];

export const kindsOf = ({ on }: Pick<About, "on">): Kind[] => Object.keys(on) as Kind[];

/** How a refusal names a role of a kind: "its owner". */
export const roleName = (kind: Kind, role: string): string => targetKinds[kind].roles[role] ?? role;

/** The sentence of a `forbidden` that names whoever could do it, or send those fields. */
export function onlyFor(kind: Kind, roles: readonly string[], fields: readonly string[] = []): string {
  const names = roles.map((role) => roleName(kind, role)).join(" or ");
  const what =
    fields.length > 0 ? `change ${fields.join(", ")} of this ${kind.replaceAll("_", " ")}` : "do this";
  return `You do not have permission to ${what}: only ${names} can.`;
}
