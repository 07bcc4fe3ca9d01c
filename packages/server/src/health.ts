import { apiError } from "@promptreg/core/errors";
import { noSniff, respondWithError } from "@promptreg/core/wire";
import type { Hono } from "hono";
import { requestIdOf } from "./kernel/http/header.ts";
import { failedRequest } from "./kernel/operations/mount.ts";
import type { ServerContext } from "./kernel/server-context.ts";

/** Mounts `/healthz`, whether the process runs, and `/readyz`, whether it can do its work and should get more. */
export function mountHealth(app: Hono, server: ServerContext): void {
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, { "x-request-id": requestIdOf(c), ...noSniff }));
  app.get("/readyz", async (c) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(c);
    const refuse = (message: string) => respondWithError(apiError("unavailable", { message }), requestId);
    if (server.readiness.isStopping)
      return refuse("This process is about to stop. Send requests to another.");
    try {
      const { isReadOnly } = await server.readiness.check();
      const status = isReadOnly ? { status: "ready", writes: "refused" } : { status: "ready" };
      return c.json(status, 200, { "x-request-id": requestId, ...noSniff });
    } catch (error) {
      server.failures.report(error, failedRequest("/readyz", { requestId, startedAt, status: 503 }));
      return refuse(
        server.isPooled
          ? "The database does not answer, or the pooler before it: requests get 503 until both do."
          : "The database does not answer: neither requests nor jobs can be done until it does.",
      );
    }
  });
}
