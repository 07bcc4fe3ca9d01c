import { contract, forMembers, reservedHandles } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { respondWithError } from "@promptreg/core/wire";
import { type Context, Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { mountFeeds } from "./feeds/index.ts";
import { handlers, targets } from "./groups/index.ts";
import { mountMedia } from "./groups/media/index.ts";
import { mountHealth } from "./health.ts";
import { metered } from "./kernel/operations/metered.ts";
import { requestIdOf } from "./kernel/http/header.ts";
import { mount } from "./kernel/operations/mount.ts";
import { asApiError } from "./kernel/failures/as-api-error.ts";
import type { ServerContext } from "./kernel/server-context.ts";
import { mountReference } from "./reference/index.ts";

/** Makes the whole HTTP interface. */
export function createApp(server: ServerContext): Hono {
  // The faster routers cannot tell a word from a parameter in the same position, and trying them takes time at the first request.
  const app = new Hono({ router: new TrieRouter() });
  server.ask = async (path) => app.request(`/api/v1${path}`);

  mountHealth(app, server);
  mountMedia(app, server);
  const served = server.isForMembers ? forMembers(contract) : contract;
  mountReference(app, { contract: served, server });
  mountFeeds(app, server);
  mount(app, served, { handlers, targets, server });

  app.notFound(metered(server, (c, id) => redirect(c, id) ?? respondWithError(apiError("not_found"), id)));
  app.onError((error, c) => {
    const known = asApiError(error);
    const requestId = requestIdOf(c);
    if (known.status >= 500)
      server.failures.report(error, { operation: c.req.routePath, requestId, status: known.status });
    return respondWithError(known, requestId);
  });
  return app;
}

/**
 * Redirects URLs for people, `/handle`, `/owner/slug`, `/owner/slug@3`, `/makes/slug`, `/posts/id` and `/contests/slug`, to the
 * resource. These have no pages yet.
 */
function redirect(c: Context, requestId: string): Response | undefined {
  const address = /^\/([a-z0-9-]+)(?:\/([a-z0-9_-]+)(?:@(\d+))?)?$/;
  const [, handle, slug, version] = address.exec(c.req.path) ?? [];
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (handle === undefined || !isRead) return undefined;
  const isBelow =
    ["makes", "posts", "contests"].includes(handle) && slug !== undefined && version === undefined;
  if (!isBelow && reservedHandles.includes(handle)) return undefined;
  const query = version === undefined ? "" : `?version=${version}`;
  const resource = isBelow
    ? `${handle}/${slug}`
    : slug === undefined
      ? `users/${handle}`
      : `prompts/${handle}/${slug}${query}`;
  const headers = { "x-request-id": requestId, "cache-control": "no-store" };
  return c.body(null, 302, { ...headers, location: `/api/v1/${resource}` });
}
