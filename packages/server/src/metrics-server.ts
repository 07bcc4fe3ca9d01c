import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { apiError } from "@promptreg/core/errors";
import { respondWithError } from "@promptreg/core/wire";
import { Hono } from "hono";
import { mountHealth } from "./health.ts";
import { requestIdOf } from "./kernel/http/header.ts";
import type { ServerContext } from "./kernel/server-context.ts";
import type { Metrics } from "./kernel/telemetry/metrics.ts";

/** Makes the server of a process for those who watch over it: its figures, for Prometheus, and its health. */
export function createMetricsServer(server: ServerContext, metrics: Metrics): Server {
  const app = new Hono();
  app.get("/metrics", async () => {
    const { type, text } = await metrics.print();
    return new Response(text, { headers: { "content-type": type } });
  });
  mountHealth(app, server);
  app.notFound((c) => respondWithError(apiError("not_found"), requestIdOf(c)));
  return createAdaptorServer({ fetch: app.fetch }) as Server;
}
