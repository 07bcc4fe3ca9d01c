import { contract, reservedHandles } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { type Context, Hono } from "hono";
import { handlers, targets } from "./groups/index.ts";
import { aside } from "./kernel/aside.ts";
import { requestIdOf } from "./kernel/header.ts";
import { mount } from "./kernel/mount.ts";
import { asApiError, asNamed, respondWithError } from "./kernel/respond.ts";
import type { ServerContext } from "./kernel/server-context.ts";
import { mountReference } from "./reference/index.ts";

/** Makes the whole HTTP interface over an open database. */
export function createApp(server: ServerContext): Hono {
  const app = new Hono();

  /** The process runs. */
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, { "x-request-id": requestIdOf(c), ...asNamed }));
  /** It can answer: the database does. */
  app.get("/readyz", async (c) => {
    try {
      await server.sql`select`;
      return c.json({ status: "ready" }, 200, { "x-request-id": requestIdOf(c), ...asNamed });
    } catch (error) {
      server.log.warn({ err: error }, "not ready");
      return respondWithError(apiError("unavailable"), requestIdOf(c));
    }
  });

  mountReference(app, { contract, server });
  mount(app, contract, { handlers, targets, server });

  app.notFound(aside(server, (c, id) => redirect(c, id) ?? respondWithError(apiError("not_found"), id)));
  app.onError((error, c) => {
    const known = asApiError(error);
    if (known.code === "internal_error") server.log.error({ err: error });
    return respondWithError(known, requestIdOf(c));
  });
  return app;
}

/**
 * The address of an account for people, `/handle`, or of a prompt, `/owner/slug` or `/owner/slug@3`, leads to the
 * resource until it has a page.
 */
function redirect(c: Context, requestId: string): Response | undefined {
  const address = /^\/([a-z0-9-]+)(?:\/([a-z0-9-]+)(?:@(\d+))?)?$/;
  const [, handle, slug, version] = address.exec(c.req.path) ?? [];
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (handle === undefined || !isRead || reservedHandles.includes(handle)) return undefined;
  const query = version === undefined ? "" : `?version=${version}`;
  const resource = slug === undefined ? `users/${handle}` : `prompts/${handle}/${slug}${query}`;
  const headers = { "x-request-id": requestId, "cache-control": "no-store" };
  return c.body(null, 302, { ...headers, location: `/api/v1/${resource}` });
}
