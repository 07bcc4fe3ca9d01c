import type { ErrorCode } from "../catalogue/errors.ts";
import type { Scope } from "./scope.ts";
import { type Kind, type RoleOf, targetKinds } from "../catalogue/targets.ts";

/** The possible kinds of a target, each with the roles that may act on it. `viewers` are all who can see it. */
export type On = { readonly [K in Kind]?: "viewers" | readonly RoleOf<K>[] };

/** A target of an operation. Before the handler runs, it must exist, be visible to the caller, and permit the action. */
export interface About {
  on: On;
  /**
   * The field with its address, if the path does not have it: `body.prompt`, `query.target`, `body.source.ref`. If several
   * kinds are possible, the field names one: `"prompt:owner/slug"` in a query, `{ type, id }` in a body. `body`: the body itself is
   * `{ type, id, … }`. With a trailing `?` the field is optional, and the target is null without it.
   */
  from?: "body" | `${"body" | "query"}.${string}`;
  /** The field names the kind also while only one is possible: others will follow. */
  namesKind?: true;
  /** The error code for a caller in this role. For example, nobody may vote for their own prompt. */
  refuse?: { readonly [R in string]?: ErrorCode };
  /** The error code instead of `forbidden`, with its own message, for a caller who sees the target and has none of the roles. */
  otherwise?: ErrorCode;
}

/** How a token that is restricted to some prompts may use an operation. It has to be about such a prompt, or about none. */
export interface RestrictedUse {
  /** It adds prompts or versions, or writes what they will be. */
  creates?: true;
  /** The field with the label that it moves, or the list of them. */
  labels?: `${"params" | "body"}.${string}`;
}

/** Who may call an operation. Handlers do not check it again. */
export interface Access extends Partial<About> {
  /** `optional` works without a token and shows more with one. */
  auth: "optional" | "required";
  /** The scope that a token must have. `write` also satisfies `evals:write`. Every valid token satisfies `none`. */
  scope: Scope | "none";
  /** What is sent proves from whom it comes, or for whom it is: no token is needed, also where nothing else is for anybody. */
  isProven?: true;
  /** Without it, the operation is closed to restricted tokens, or serves them as it serves anybody. */
  restricted?: RestrictedUse;
  /** Further targets, by the names under which the handler gets them. A hidden target is reported as missing. */
  with?: { readonly [name: string]: About & Required<Pick<About, "from">> };
}

/** The extra permission for one field of a body, or of a read's query. */
export interface FieldAccess<R extends string = string> {
  /** The roles that may send it, instead of those of `on`. */
  allow?: readonly R[];
  /** A scope in addition to that of the operation. */
  scope?: Scope;
  /** With this value the field means the caller, so the request needs a token. */
  callerFor?: string | boolean;
}

/** The targets of an operation. The one that its address names comes first. */
export const aboutsOf = ({ on, with: others = {}, ...about }: Access): About[] => [
  ...(on ? [{ ...about, on }] : []),
  ...Object.values(others),
];

export const kindsOf = ({ on }: Pick<About, "on">): Kind[] => Object.keys(on) as Kind[];

/** Whether the field of its address names the kind too. */
export const hasKindInField = (about: About): boolean => about.namesKind ?? kindsOf(about).length > 1;

/**
 * Whether `If-Match` is compared with the target. Not where a body or a query names what anybody may act on: its owner may be writing what
 * is not published, and nobody may learn of it.
 */
export const comparesTarget = ({ on = {}, from }: Pick<Access, "on" | "from">): boolean =>
  from === undefined || !Object.values(on).includes("viewers");

/** How an error names a role of a kind: "its owner". */
export const roleName = (kind: Kind, role: string): string => targetKinds[kind].roles[role] ?? role;

/** The message of a `forbidden` error. It names the roles that can do this, or send those fields. */
export function onlyFor(kind: Kind, roles: readonly string[], fields: readonly string[] = []): string {
  const names = roles.map((role) => roleName(kind, role)).join(" or ");
  const what =
    fields.length > 0 ? `change ${fields.join(", ")} of this ${kind.replaceAll("_", " ")}` : "do this";
  return `You do not have permission to ${what}: only ${names} can.`;
}
