import { plainText } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { boundJson, parse } from "@promptreg/core/wire";
import * as z from "zod";

/** A number of Discord, which grows with time. */
const snowflake = z.string().regex(/^\d{1,20}$/);
const user = z.object({ id: snowflake, username: plainText({ min: 1, max: 100 }) });

// What else Discord sends is left out, and it may send more at any time.
const ping = z.object({ type: z.literal(1) });
const command = z.object({
  type: z.literal(2),
  id: snowflake,
  data: z.object({
    name: z.string(),
    options: z.array(z.object({ name: z.string(), value: z.unknown() })).optional(),
  }),
  /** Who wrote it: in a server, or in a message to the application alone. */
  member: z.object({ user }).optional(),
  user: user.optional(),
});
const interaction = z.union([ping, command, z.object({ type: z.int() })]);

/** A command that somebody wrote. */
export interface Command {
  id: string;
  name: string;
  by: z.infer<typeof user>;
  /** Its options that are texts, by name. */
  options: ReadonlyMap<string, string>;
}

/**
 * What Discord sent: its ping, a command, or what this server knows nothing of.
 * @throws {ApiError} `invalid_json` or `validation_failed`.
 */
export function readInteraction(body: Uint8Array): "ping" | Command | "other" {
  boundJson(body);
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw apiError("invalid_json");
  }
  const read = parse(interaction, content);
  if (read.type === 1) return "ping";
  if (!("data" in read)) return "other";
  const by = read.member?.user ?? read.user;
  if (by === undefined) return "other";
  const options = new Map<string, string>();
  for (const { name, value } of read.data.options ?? [])
    if (typeof value === "string") options.set(name, value);
  return { id: read.id, name: read.data.name, by, options };
}
