/** A kind of thing that operations act on. */
export interface TargetKind {
  /** What a caller can be to it, and how a refusal names whoever is that: "its owner". */
  roles: Readonly<Record<string, string>>;
  /** Its address can change. The old one leads to the new one for good: 301 for reads, 308 for all else. */
  moves?: true;
  /** What was deleted answers 410 to those who could see it. */
  isMissed?: true;
}

export type TargetKinds = Readonly<Record<string, TargetKind>>;

/** Roles that come from the account and its token. An admin is a moderator too. */
export const staff = { moderator: "a moderator", admin: "an admin" } as const;
