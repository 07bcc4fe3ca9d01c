import { contract, reservedHandles } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { type Context, Hono } from "hono";
import { handlers, targets } from "./groups/index.ts";
import { failedRequest, mount, requestIdOf } from "./kernel/mount.ts";
import { asApiError, respondWithError } from "./kernel/respond.ts";
import type { ServerContext } from "./kernel/server-context.ts";
import { mountReference } from "./reference/index.ts";

/** Makes the whole HTTP interface over an open database. */
export function createApp(server: ServerContext): Hono {
  const app = new Hono();

  /** The process runs. */
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, { "x-request-id": requestIdOf(c) }));
  /** It can do its work: the database takes changes. */
  app.get("/readyz", async (c) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(c);
    try {
      await server.readiness.check();
      return c.json({ status: "ready" }, 200, { "x-request-id": requestId });
    } catch (error) {
      server.failures.tell(error, failedRequest("/readyz", { requestId, startedAt, status: 503 }));
      return respondWithError(apiError("unavailable"), requestId);
    }
  });

  mountReference(app, { contract, publicUrl: server.publicUrl });
  mount(app, contract, { handlers, targets, server });

  app.notFound((c) => redirectToPrompt(c) ?? respondWithError(apiError("not_found"), requestIdOf(c)));
  app.onError((error, c) => {
    const known = asApiError(error);
    const requestId = requestIdOf(c);
    if (known.status >= 500)
      server.failures.tell(error, { operation: c.req.routePath, requestId, status: known.status });
    return respondWithError(known, requestId);
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
