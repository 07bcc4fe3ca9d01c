import { sign } from "@promptreg/core/webhooks";
import { refOf, urlOf } from "./show.ts";
import { type Caller, publicUrl, type StoredPrompt, type World } from "./world.ts";

/** Creates an event of a prompt. Each event of a prompt is later than the one before. */
export function emit(
  world: World,
  { caller, name, prompt, data }: { caller: Caller | null; name: string; prompt: StoredPrompt; data: object },
): World["events"][number] {
  prompt.lastEventAt = Math.max(world.clock.nowMs(), prompt.lastEventAt + 1);
  const body = JSON.stringify({
    id: world.newId("evt"),
    event: name,
    createdAt: new Date(prompt.lastEventAt).toISOString(),
    data: {
      prompt: { id: prompt.id, ref: refOf(prompt), url: urlOf(prompt) },
      actor: caller && { id: caller.id, handle: caller.handle, url: `${publicUrl}/${caller.handle}` },
      ...data,
    },
  });
  return { name, body };
}

/** Returns the new events, and clears them, as requests to a webhook's receiver. */
export function takeDeliveries(world: World, secret: string): Promise<Request[]> {
  const events = world.events.splice(0);
  return Promise.all(
    events.map(
      async ({ name, body }) =>
        new Request("https://receiver.test/", {
          method: "POST",
          body,
          headers: {
            "content-type": "application/json",
            "user-agent": `Service-Webhooks/1.0 (+${publicUrl}/docs/webhooks)`,
            "service-event": name,
            "service-delivery": world.newId("dlv"),
            "service-signature": await sign(body, secret),
          },
        }),
    ),
  );
}
