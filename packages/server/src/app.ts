import { contract, reservedHandles } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { type Context, Hono } from "hono";
import { handlers, targets } from "./groups/index.ts";
import { mount, requestIdOf } from "./kernel/mount.ts";
import { asApiError, respondWithError } from "./kernel/respond.ts";
import type { ServerContext } from "./kernel/server-context.ts";
import { mountReference } from "./reference/index.ts";

/** Makes the whole HTTP interface over an open database. */
export function createApp(server: ServerContext): Hono {
  const app = new Hono();

  /** The process runs. */
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, { "x-request-id": requestIdOf(c) }));
  /** It can answer: the database does. */
  app.get("/readyz", async (c) => {
    try {
      await server.sql`select`;
      return c.json({ status: "ready" }, 200, { "x-request-id": requestIdOf(c) });
    } catch (error) {
      server.log.warn({ err: error }, "not ready");
      return respondWithError(apiError("unavailable"), requestIdOf(c));
    }
  });

  mountReference(app, { contract, publicUrl: server.publicUrl });
  mount(app, contract, { handlers, targets, server });

  app.notFound((c) => redirectToPrompt(c) ?? respondWithError(apiError("not_found"), requestIdOf(c)));
  app.onError((error, c) => {
    const known = asApiError(error);
    if (known.code === "internal_error") server.log.error({ err: error });
    return respondWithError(known, requestIdOf(c));
  });
  return app;
}

/** The address of a prompt for people, `/owner/slug` or `/owner/slug@3`, leads to the resource until it has a page. */
function redirectToPrompt(c: Context): Response | undefined {
  const [, owner = "", slug, version] = /^\/([a-z0-9-]+)\/([a-z0-9-]+)(?:@(\d+))?$/.exec(c.req.path) ?? [];
  if (slug === undefined || c.req.method !== "GET" || reservedHandles.includes(owner)) return undefined;
  const query = version === undefined ? "" : `?version=${version}`;
  const headers = { "x-request-id": requestIdOf(c), "cache-control": "no-store" };
  return c.body(null, 302, { ...headers, location: `/api/v1/prompts/${owner}/${slug}${query}` });
}
