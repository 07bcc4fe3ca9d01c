import type { Me } from "@promptreg/client";

/** What a token may do, and until when. */
export const grantOf = ({ scopes, role, expiresAt }: Me["token"]): string =>
  [...scopes, role !== "user" && `role ${role}`, expiresAt !== null && `until ${expiresAt}`]
    .filter(Boolean)
    .join(", ");
