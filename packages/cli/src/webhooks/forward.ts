import type { DeliverySummary } from "@promptreg/client";
import { signSync } from "@promptreg/core/webhooks/node";

/** What a receiver made of an event. */
export interface Forwarded {
  /** Null when it did not answer; `error` then says why. */
  status: number | null;
  durationMs: number;
  /** The first 2 KB of its answer. */
  excerpt: string | null;
  error: string | null;
}

/** As long as the registry waits. */
const timeoutSeconds = 10;
const maxExcerptBytes = 2_048;

/** Whether an address leads to this machine by what it says, without asking anybody. */
export const isLocal = ({ hostname }: URL): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Sends a delivery as the registry would, signed now, and never throws. */
export async function forward(
  target: URL,
  { id, event, payload }: DeliverySummary,
  { secret, registry }: { secret: string; registry: string },
): Promise<Forwarded> {
  // These are the bytes that the registry signed: it prints envelopes in the same way.
  const body = JSON.stringify(payload);
  const startedMs = performance.now();
  const end = (outcome: Partial<Forwarded>): Forwarded => ({
    status: null,
    excerpt: null,
    error: null,
    ...outcome,
    durationMs: Math.round(performance.now() - startedMs),
  });
  try {
    const response = await fetch(target, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": `Service-Webhooks/1.0 (+${registry}/docs/webhooks)`,
        "service-event": event,
        "service-delivery": id,
        "service-signature": signSync(body, secret),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    return end({ status: response.status, excerpt: await readExcerpt(response) });
  } catch (error) {
    return end({ error: reasonOf(error) });
  }
}

/** An answer that breaks off, or never ends, counts with what came of it. */
async function readExcerpt({ body }: Response): Promise<string> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of body ?? []) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length >= maxExcerptBytes) break;
    }
  } catch {
    // The status is what counts.
  }
  return bytes.subarray(0, maxExcerptBytes).toString();
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === "TimeoutError") return `no answer within ${timeoutSeconds} seconds`;
  if (cause?.code === "ECONNREFUSED") return "ECONNREFUSED, no server listens there";
  return cause?.code ?? cause?.message ?? message;
}
