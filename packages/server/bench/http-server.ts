/** A process with the two servers of a comparison, on ports that it tells its parent. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, BlockList } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type RateLimits, rateLimits } from "@promptreg/core";
import { Hono } from "hono";
import pino from "pino";
import { createApp } from "../src/app.ts";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { connect } from "../src/database/open.ts";
import { loadResolved } from "../src/groups/prompts/get.sql.ts";
import { callerOf } from "../src/kernel/caller.ts";
import { createHttpServer } from "../src/kernel/http-server.ts";
import { createRateLimiter } from "../src/kernel/rate-limit.ts";
import { sharing } from "../src/kernel/respond.ts";
import { openSecretBox } from "../src/kernel/secret-box.ts";
import type { ServerContext } from "../src/kernel/server-context.ts";
import { Holdings } from "../src/kernel/holdings.ts";

const { BENCH_DATABASE = "", BENCH_TOKEN = "", BENCH_SIDE = "" } = process.env;
const sql = connect(parseDatabaseUrl(BENCH_DATABASE));

const server = BENCH_SIDE === "ours" ? await ours() : createAdaptorServer({ fetch: floor().fetch });
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.((server.address() as AddressInfo).port);

async function ours(): Promise<Server> {
  const log = pino({ level: "silent" });
  const secrets = openSecretBox("bench");
  // Counted as always, but never used up; within a second, so that the fields of all answers are equally long.
  const most = { quota: 1_000_000, windowSeconds: 1 };
  const limits = Object.fromEntries(
    Object.entries(rateLimits).map(([policy, limit]) => [policy, { ...limit, ...most }]),
  ) as unknown as RateLimits;
  const limiter = createRateLimiter({ sql, secrets, log, limits });
  await limiter.start();
  const context: ServerContext = {
    sql,
    publicUrl: "http://127.0.0.1",
    secrets,
    log,
    limiter,
    mailer: null,
    trustedProxies: new BlockList(),
    allowUnsafeWebhooks: false,
    checkAnswers: false,
    holdings: new Holdings(),
  };
  return createHttpServer(createApp(context).fetch, context);
}

/** The least that could be done: the same statement, the same body, the same headers, and nothing checked. */
function floor(): Hono {
  const app = new Hono();
  const credential = createHash("sha256").update(BENCH_TOKEN).digest();
  const address = { owner: "bench", slug: "hot" };
  app.get("/label", async () => {
    const caller = callerOf(sql, credential);
    const { target } = await loadResolved(sql, { address, caller }, { wanted: { label: "production" } });
    const body = `{"ref":"bench/hot","yanked":false,"resolvedBy":{"type":"label","value":"production"},"version":${target?.versionText}}`;
    const limits = { "ratelimit-policy": `"read";q=1000000;w=1`, ratelimit: `"read";r=999999;t=1` };
    return new Response(body, {
      headers: { ...headers(`"${target?.versionId}"`, "private, no-cache"), ...limits },
    });
  });
  app.get("/pinned", async (c) => {
    const caller = callerOf(sql, credential);
    const { target } = await loadResolved(sql, { address, caller }, { wanted: { version: 1 } });
    const tag = `"${target?.versionId}.full"`;
    const all = headers(tag, "public, max-age=31536000, s-maxage=60, immutable");
    if (c.req.header("if-none-match") === tag) {
      const { "content-type": _, ...bare } = all;
      return new Response(null, { status: 304, headers: bare });
    }
    return new Response(target?.versionText, { headers: all });
  });
  return app;
}

function headers(etag: string, cacheControl: string): Record<string, string> {
  return {
    "x-request-id": crypto.randomUUID(),
    "cache-control": cacheControl,
    vary: "Authorization, Accept",
    etag,
    ...sharing,
    "content-type": "application/json",
  };
}
