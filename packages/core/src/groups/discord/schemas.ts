import * as z from "zod";
import { plainText, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";

/** An account at Discord that is linked with one here. It is no way to sign in. */
export interface DiscordLink {
  /** Its id at Discord. */
  userId: string;
  /** Its name there when it was linked. */
  username: string;
  linkedAt: string;
}
export const DiscordLink: Schema<DiscordLink> = z
  .strictObject({ userId: z.string(), username: z.string(), linkedAt: timestamp })
  .meta({ id: "DiscordLink" });

/** Your account at Discord. */
export interface LinkedDiscord {
  discord: DiscordLink;
}
export const LinkedDiscord: Schema<LinkedDiscord> = z
  .strictObject({ discord: DiscordLink })
  .meta({ id: "LinkedDiscord" });

/** What the command `/link` in Discord showed. */
export interface LinkDiscord {
  /** Eight letters and digits. Case does not matter. */
  code: string;
}
export const LinkDiscord: Schema<LinkDiscord> = z
  .strictObject({ code: plainText({ min: 1, max: 100 }) })
  .meta({ id: "LinkDiscord" });

/** How Discord signs. */
export interface SignedHeaders {
  /** Ed25519 over the timestamp and the body, in hexadecimal. */
  "x-signature-ed25519"?: string;
  /** Seconds since 1970. */
  "x-signature-timestamp"?: string;
}
// Optional, and of any form: what is missing or cannot be read is 401, as Discord expects it.
export const SignedHeaders: Schema<SignedHeaders> = z.object({
  "x-signature-ed25519": z.string().optional(),
  "x-signature-timestamp": z.string().optional(),
});

/** What Discord shows in answer to a command. Nobody is notified by a name in it. */
export interface DiscordMessage {
  content?: string;
  embeds?: { title?: string; url?: string; description: string }[];
  /** 64: only whoever wrote the command sees it. */
  flags?: 64;
  /** Nobody: the list is empty. */
  allowed_mentions: { parse: string[] };
}
const DiscordMessage: Schema<DiscordMessage> = z
  .strictObject({
    content: z.string().max(2_000).optional(),
    embeds: z
      .array(
        z.strictObject({
          title: z.string().max(256).optional(),
          url: z.string().optional(),
          description: z.string().max(4_096),
        }),
      )
      .max(1)
      .optional(),
    flags: z.literal(64).optional(),
    allowed_mentions: z.strictObject({ parse: z.array(z.string()).max(0) }),
  })
  .meta({ id: "DiscordMessage" });

/** An answer to Discord: 1 to its ping, 4 with a message to anything else. */
export type InteractionAnswer = { type: 1 } | { type: 4; data: DiscordMessage };
export const InteractionAnswer: Schema<InteractionAnswer> = z.union([
  z.strictObject({ type: z.literal(1) }).meta({ id: "DiscordPong" }),
  z.strictObject({ type: z.literal(4), data: DiscordMessage }).meta({ id: "DiscordReply" }),
]);
