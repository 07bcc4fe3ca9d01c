// A receiver with Fastify 5.
//
//   WEBHOOK_SECRET=whsec_… PORT=4000 node fastify.ts
import { once, receiveSync } from "@promptreg/core/webhooks/node";
import { fastify } from "fastify";
import { handle, secrets, store } from "./inbox.ts";

const app = fastify({ logger: true });

// A scope of its own: only here do bodies stay bytes. Other routes parse JSON as usual.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) => body);

  scope.post<{ Body: Buffer }>("/hook", async (request, reply) => {
    const event = receiveSync(request.body, request.headers["service-signature"], secrets);
    await once(event, store, handle);
    return reply.code(204).send();
  });
});

const address = await app.listen({ port: Number(process.env.PORT ?? 4000) });
console.log(`Listening on port ${new URL(address).port}`);
