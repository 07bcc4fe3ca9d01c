import { bytes, empty, json, op } from "../../operations/operation.ts";
import { InteractionAnswer, LinkDiscord, LinkedDiscord, SignedHeaders } from "./schemas.ts";

const own = { auth: "required", scope: "write" } as const;

export const discord = {
  interactions: {
    /**
     * Answers a command that somebody wrote in Discord: `/search`, `/prompt` or `/link`. Only Discord calls it, and proves itself by its
     * signature. It shows what everybody sees.
     */
    receive: op({
      route: "POST /discord/interactions",
      access: { auth: "optional", scope: "none", isProven: true },
      headers: SignedHeaders,
      body: bytes("application/json", { maxBytes: 64 * 1024 }),
      results: { 200: json(InteractionAnswer) },
      errors: ["invalid_signature", "discord_unavailable"],
      rate: { policy: "discord", byHandler: true, isForMany: true },
    }),
  },
  link: {
    /**
     * Links your account with the one at Discord where `/link` showed a code. A code works once, for ten minutes. The link replaces an
     * earlier one, also that of another account with the same one at Discord.
     */
    put: op({
      route: "PUT /me/discord",
      access: own,
      body: json(LinkDiscord),
      results: { 200: json(LinkedDiscord), 204: empty() },
      errors: ["invalid_code", "discord_unavailable", "precondition_failed"],
      rate: { policy: "link" },
    }),
    /** Removes the link between your account and the one at Discord, if there is one. `GET /me` shows it. */
    delete: op({
      route: "DELETE /me/discord",
      access: own,
      results: { 204: empty() },
      errors: ["precondition_failed"],
    }),
  },
};
