import { limits } from "@promptreg/core";
import type { Handler } from "./handler.ts";
import { userRef } from "./show.ts";
import { etagOf } from "./etag.ts";

export const get: Handler<"users.me.get"> = ({ caller, world }) => {
  const own = [...world.prompts.values()].filter(
    ({ owner, isDeleted }) => owner.id === caller.id && !isDeleted,
  );
  const json = {
    ...userRef(caller),
    bio: null,
    website: null,
    roles: ["user" as const],
    counts: {
      prompts: own.filter(({ visibility }) => visibility === "public").length,
      makes: 0,
      posts: 0,
      stars: 0,
    },
    createdAt: caller.createdAt,
    email: null,
    preferences: { showMature: false, emailDigest: false, emailTypes: ["webhook.disabled"] },
    discord: null,
    token: {
      id: caller.tokenId,
      name: "test",
      scopes: [...caller.scopes],
      role: "user" as const,
      expiresAt: null,
    },
    features: { suggestions: false, discord: false },
    quotas: {
      prompts: { used: own.length, limit: limits.promptsPerAccount },
      webhooks: { used: 0, limit: limits.webhooksPerAccount },
    },
  };
  return { status: 200, json, etag: etagOf(JSON.stringify(json)).then((digest) => `W/1.${digest}`) };
};
