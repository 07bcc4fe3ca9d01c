// A receiver with Hono.
//
//   WEBHOOK_SECRET=whsec_… PORT=4000 node hono.ts
import { serve } from "@hono/node-server";
import { once, receive } from "@promptreg/core/webhooks";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { handle, secrets, statusOf, store } from "./inbox.ts";

const app = new Hono();

app.post("/hook", bodyLimit({ maxSize: 1024 * 1024 }), async (c) => {
  const event = await receive(await c.req.arrayBuffer(), c.req.header("service-signature"), secrets);
  await once(event, store, handle);
  return c.body(null, 204);
});

app.onError((error, c) => {
  console.error(error);
  return c.body(null, statusOf(error));
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 4000) }, ({ port }) => {
  console.log(`Listening on port ${port}`);
});
