import { contract, reservedHandles } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { Hono } from "hono";
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

  // The address of a prompt for people leads to the resource until there is a page for it.
  app.get("/:owner{[a-z0-9-]+}/:slug{[a-z0-9-]+(@[0-9]+)?}", (c) => {
    if (reservedHandles.includes(c.req.param("owner"))) return c.notFound();
    const [slug, version] = c.req.param("slug").split("@");
    c.header("x-request-id", requestIdOf(c));
    c.header("cache-control", "no-store");
    const query = version === undefined ? "" : `?version=${version}`;
    return c.redirect(`/api/v1/prompts/${c.req.param("owner")}/${slug}${query}`, 302);
  });

  app.notFound((c) => respondWithError(apiError("not_found"), requestIdOf(c)));
  app.onError((error, c) => {
    const known = asApiError(error);
    if (known.code === "internal_error") server.log.error({ err: error });
    return respondWithError(known, requestIdOf(c));
  });
  return app;
}
