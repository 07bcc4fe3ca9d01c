// For workers: POST checks the statements. GET gets a prompt by a client that all requests share, so that what one of
// them begins may be left to another; `ahead` is how late it is, in milliseconds.
import { env, waitUntil } from "cloudflare:workers";
import { createClient } from "@promptreg/client";
import { checkAll } from "./check.ts";
import { statements } from "./statements.ts";

const world = env.WORLD;
const cache = { ttlMs: 60_000 };
const clients = {
  alone: createClient({ ...world, cache }),
  waiting: createClient({ ...world, cache: { ...cache, waitUntil } }),
};
const { now } = Date;
const passed = performance.now.bind(performance);

export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method === "POST") return Response.json(await checkAll(statements, world));
    const { searchParams } = new URL(request.url);
    const aheadMs = Number(searchParams.get("ahead"));
    Date.now = () => now() + aheadMs;
    performance.now = () => passed() + aheadMs;
    const client = clients[searchParams.get("client") as keyof typeof clients];
    const { source, staleReason, version } = await client
      .prompt(`${world.owner}/${world.slug}@production`)
      .get();
    return Response.json([source, staleReason, version]);
  },
};
