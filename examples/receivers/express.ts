// A receiver with Express 5.
//
//   WEBHOOK_SECRET=whsec_… PORT=4000 node express.ts
import type { AddressInfo } from "node:net";
import { once, receiveSync } from "@promptreg/core/webhooks/node";
import express from "express";
import { handle, secrets, store } from "./inbox.ts";

const app = express();

// Register this route before any `app.use(express.json())`: a parsed body cannot be verified.
app.post("/hook", express.raw({ type: () => true, limit: "1mb" }), async (request, response) => {
  const event = receiveSync(request.body, request.get("service-signature"), secrets);
  await once(event, store, handle);
  response.sendStatus(204);
});

const server = app.listen(Number(process.env.PORT ?? 4000), () => {
  console.log(`Listening on port ${(server.address() as AddressInfo).port}`);
});
