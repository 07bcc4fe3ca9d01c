import type { ErrorTable } from "../../language/group.ts";

/** The errors that only Discord has. */
export const discordErrors = {
  invalid_signature: {
    status: 401,
    message:
      "The request is not signed by Discord, or was signed more than five minutes ago. Check DISCORD_PUBLIC_KEY if Discord sent it.",
  },
  invalid_code: {
    status: 422,
    message:
      "This code is mistyped, used, replaced by a newer one, or older than ten minutes. Write /link in Discord for a new one.",
  },
  discord_unavailable: { status: 503, message: "This server is not set up for Discord." },
} as const satisfies ErrorTable;
