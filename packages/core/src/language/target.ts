/** A kind of target of operations. */
export interface TargetKind {
  /** The roles of callers, and how an error names them: "its owner". */
  roles: Readonly<Record<string, string>>;
  /** Its address can change. The old one redirects to the new one for ever: 301 for reads, 308 for others. */
  moves?: true;
  /** If it was deleted, those who could see it get 410. */
  isMissed?: true;
}

export type TargetKinds = Readonly<Record<string, TargetKind>>;

/** Roles that come from the account and its token. An admin is a moderator too. */
export const staff = { moderator: "a moderator", admin: "an admin" } as const;
