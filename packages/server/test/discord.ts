import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type postgres from "postgres";
import type { Answer, Sender } from "./requests.ts";

/** What Discord signs with, as servers of tests know it. */
export const discordKeys = generateKeyPairSync("ed25519");

/** The headers of a request that Discord signed. */
export function signedBy(
  body: string | Uint8Array,
  {
    seconds = Math.floor(Date.now() / 1_000),
    key = discordKeys.privateKey,
  }: { seconds?: number; key?: KeyObject } = {},
): Record<string, string> {
  const timestamp = String(seconds);
  const signature = sign(null, Buffer.concat([Buffer.from(timestamp), Buffer.from(body)]), key);
  return {
    "content-type": "application/json",
    "x-signature-ed25519": signature.toString("hex"),
    "x-signature-timestamp": timestamp,
  };
}

let last = 1_200_000_000_000_000_000n;

/** Somebody in Discord. */
export interface DiscordUser {
  id: string;
  username: string;
}
export const ada: DiscordUser = { id: "80351110224678912", username: "ada.l" };
export const bob: DiscordUser = { id: "80351110224678913", username: "bob" };

const userOf = ({ id, username }: DiscordUser) => ({
  id,
  username,
  global_name: "A *Name*",
  discriminator: "0",
  avatar: null,
  avatar_decoration_data: null,
  clan: null,
  public_flags: 0,
});

/** A command as Discord sends it, with what the server has no need of. `isDirect`: in a message to the application alone. */
export function command(
  name: string,
  options: Record<string, string> = {},
  {
    by = ada,
    id = String(++last),
    isDirect = false,
    ...others
  }: { by?: DiscordUser; id?: string; isDirect?: boolean } & Record<string, unknown> = {},
) {
  const user = userOf(by);
  const place = isDirect
    ? { user, context: 1, channel: { id: "7", type: 1 } }
    : {
        member: {
          user,
          nick: null,
          roles: ["5"],
          permissions: "2251799813685247",
          deaf: false,
          joined_at: "2024-01-01T00:00:00+00:00",
        },
        guild: { id: "6", locale: "en-US", features: [] },
        guild_id: "6",
        guild_locale: "en-US",
        context: 0,
        channel: { id: "7", type: 0, name: "general" },
      };
  return {
    app_permissions: "442368",
    application_id: "100000000000000001",
    authorizing_integration_owners: { "0": "6" },
    channel_id: "7",
    data: {
      id: "9",
      name,
      type: 1,
      ...(Object.keys(options).length > 0 && {
        options: Object.entries(options).map(([option, value]) => ({ name: option, type: 3, value })),
      }),
      resolved: { users: {}, members: {} },
    },
    entitlement_sku_ids: [],
    entitlements: [],
    id,
    locale: "de",
    token: "aW50ZXJhY3Rpb24",
    type: 2,
    version: 1,
    ...place,
    ...others,
  };
}

/** Sends what Discord would send. `sent`: what arrives in place of what was signed. */
export async function interact(
  server: { anonymous: Sender["request"]; sql: postgres.Sql },
  interaction: object | string | Uint8Array,
  {
    ageSeconds = 0,
    key,
    headers,
    body: sent,
  }: { ageSeconds?: number; key?: KeyObject; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const body =
    typeof interaction === "string" || interaction instanceof Uint8Array
      ? interaction
      : JSON.stringify(interaction);
  const [now] = await server.sql<
    { seconds: number }[]
  >`select floor(extract(epoch from clock()))::float8 as seconds`;
  const seconds = (now?.seconds ?? 0) - ageSeconds;
  const signed = signedBy(body, { seconds, ...(key && { key }) });
  return server.anonymous("POST /discord/interactions", {
    body: sent ?? body,
    headers: { ...signed, ...headers },
  });
}
