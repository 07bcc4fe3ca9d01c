import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { receiveSync, type WebhookEvent, type WebhookSecret } from "@promptreg/core/webhooks/node";
import type { Person, TestServer } from "./harness.ts";

/** What an endpoint was sent, once its signature was found genuine. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
  event: WebhookEvent;
}

/** A webhook and what stands at its address. */
export interface Endpoint {
  id: string;
  /** With which signatures are checked; one that does not fit fails the test. */
  secret: WebhookSecret;
  received: Received[];
  names(): string[];
  /** The status it answers with from now on; 200 at first. */
  answers: number;
  /** Answers wait for this. */
  held: Promise<void>;
}

const closers: (() => Promise<unknown>)[] = [];

/** A webhook of somebody's with an endpoint of its own behind it. */
export async function openEndpoint(server: TestServer, who: Person, fields: object = {}): Promise<Endpoint> {
  const endpoint: Endpoint = {
    id: "",
    secret: "",
    received: [],
    names: () => endpoint.received.map(({ event }) => event.event),
    answers: 200,
    held: Promise.resolve(),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { headers } = request;
    const body = await buffer(request);
    const event = receiveSync(body, headers["service-signature"], endpoint.secret);
    endpoint.received.push({ headers, body, event });
    await endpoint.held;
    response.writeHead(endpoint.answers, { location: "/elsewhere" }).end("Thank you.");
  };
  const receiver = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const { json } = await who.request("POST /webhooks", { body: { url, ...fields } });
  endpoint.id = json.id;
  endpoint.secret = json.secret;
  closers.push(async () => {
    await server.sql`update webhooks set deleted_at = clock() where id = ${endpoint.id}`;
    receiver.closeAllConnections();
    receiver.close();
  });
  return endpoint;
}

/** Closes what the test before opened. */
export async function closeEndpoints(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** Waits until the worker has nothing left that is due now; a job that failed fails the test. */
export async function settled({ sql }: TestServer): Promise<void> {
  for (;;) {
    // Not `now()`: a job can be added after the statement began, and before it looks.
    const jobs = await sql<{ error: string | null }[]>`
      select last_error as error from graphile_worker.jobs where run_at <= clock_timestamp() or last_error is not null
      union all
      select null from events where fanned_out_at is null
      union all
      select null from outbox
      union all
      select null from webhooks w where w.deleted_at is null and (w.lease_token is not null or exists (
        select from deliveries d
        where d.webhook_id = w.id and d.status = 'pending' and (d.next_attempt_at <= clock() or d.epoch not in (-1, w.epoch))))`;
    if (jobs.count === 0) return;
    for (const { error } of jobs) if (error !== null) throw new Error(`a job failed: ${error}`);
    await delay(10);
  }
}
