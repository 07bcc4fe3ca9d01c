import type { KeyObject } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { InteractionAnswer, SignedHeaders } from "@promptreg/core";
import { ApiError, apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { RateLimited } from "../../kernel/rate-limits/rate-counts.ts";
import { isRecent } from "./codes.sql.ts";
import { answers } from "./commands.ts";
import { readInteraction } from "./interaction.ts";
import { privately } from "./message.ts";
import { signedAt } from "./signature.ts";

/** Discord waits for three seconds. */
const patienceMs = 2_500;

const tooOften = privately("These were many commands in a minute. Wait a moment.");
const later = privately("The registry is too slow now, or cannot be reached. Try again in a minute.");

interface Received {
  key: KeyObject;
  body: Buffer;
  headers: SignedHeaders;
  server: ServerContext;
  charge: (discordId: string) => void;
}

export const receive: HandlerWith<"discord.interactions.receive", {}> = {
  withoutTransaction: true,
  async handle({ body, headers, server, charge }) {
    const { discordKey: key, failures } = server;
    if (key === null) throw apiError("discord_unavailable");
    const late = delay(patienceMs, later, { ref: false });
    const work = answer({ key, body, headers, server, charge }).catch((error: unknown) => {
      // Discord shows a 429 as its own failure, and a sentence as it is.
      if (error instanceof RateLimited) return tooOften;
      if (error instanceof ApiError) throw error;
      failures.report(error, { operation: "discord.interactions.receive", status: 200 });
      return later;
    });
    return { status: 200, json: await Promise.race([work, late]) };
  },
};

/** What arrives is anybody's until its signature was checked, and old until its time was. Only then it is parsed. */
async function answer({ key, body, headers, server, charge }: Received): Promise<InteractionAnswer> {
  const seconds = signedAt(key, headers, body);
  if (seconds === null || !(await isRecent(server.sql, seconds))) throw apiError("invalid_signature");
  const sent = readInteraction(body);
  if (sent === "ping") return { type: 1 };
  const act = sent === "other" ? undefined : answers.get(sent.name);
  if (sent === "other" || act === undefined) return privately("This registry does not know this command.");
  if (server.isForMembers && sent.name !== "link")
    return privately("This registry is for its members: what is in it is not shown here.");
  charge(sent.by.id);
  return act(sent, server);
}
