import { limits } from "@promptreg/core";
import type { Handler } from "./handler.ts";
import { userRef } from "./show.ts";
import { etagOf } from "./etag.ts";
import type { StoredVersion } from "./world.ts";

/** What the files of versions take: each content once, and 256 bytes for each file that a version lists. */
function bytesOf(versions: readonly StoredVersion[]): number {
  const files = versions.flatMap(({ version }) => version.files);
  const sizes = new Map(files.map(({ sha256, size }) => [sha256, size]));
  return [...sizes.values()].reduce((sum, size) => sum + size, 256 * files.length);
}

export const get: Handler<"users.me.get"> = ({ caller, world }) => {
  const written = [...world.prompts.values()].filter(({ owner }) => owner.id === caller.id);
  const own = written.filter(({ isDeleted }) => !isDeleted);
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
      restriction: null,
    },
    features: { suggestions: true, discord: false },
    quotas: {
      prompts: { used: own.length, limit: limits.promptsPerAccount },
      makes: { used: 0, limit: limits.makesPerAccount },
      posts: { used: 0, limit: limits.postsPerAccount },
      webhooks: { used: 0, limit: limits.webhooksPerAccount },
      bytes: { used: bytesOf(written.flatMap(({ versions }) => versions)), limit: 10_000_000_000 },
    },
  };
  return { status: 200, json, etag: etagOf(JSON.stringify(json)).then((digest) => `W/1.${digest}`) };
};
