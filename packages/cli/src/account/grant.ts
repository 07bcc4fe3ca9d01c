import type { Me } from "@promptreg/client";

/** What a token may do, and until when. */
export const grantOf = ({
  handle,
  token: { scopes, role, expiresAt, restriction },
}: Pick<Me, "handle" | "token">): string =>
  [
    ...scopes,
    role !== "user" && `role ${role}`,
    expiresAt !== null && `until ${expiresAt}`,
    restriction && `for ${restriction.prompts.map((slug) => `${handle}/${slug}`).join(", ")} only`,
    restriction?.labels && `labels ${restriction.labels.join(", ")} only`,
    restriction?.creates === false && "no new prompts or versions",
  ]
    .filter(Boolean)
    .join(", ");
