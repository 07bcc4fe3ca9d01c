// A receiver on AWS Lambda, behind a function URL, an HTTP API, a REST API or a load balancer.
//
// Keep the marks outside, as in stores/: each instance has a memory of its own.
import { once, receiveSync } from "@promptreg/core/webhooks/node";
import { handle, secrets, statusOf, store } from "./inbox.ts";

/** What is read of the event that Lambda hands over, in whichever form. */
export interface HttpEvent {
  body?: string | null;
  isBase64Encoded?: boolean;
  headers?: Record<string, string | undefined> | null;
  multiValueHeaders?: Record<string, string[] | undefined> | null;
}

/** Some hand names over as they were sent, others in lower case; each value alone, in lists, or both. */
const headerOf = ({ headers, multiValueHeaders }: HttpEvent, name: string) =>
  Object.entries({ ...multiValueHeaders, ...headers }).find(([key]) => key.toLowerCase() === name)?.[1];

export async function handler(request: HttpEvent): Promise<{ statusCode: number }> {
  try {
    const { body, isBase64Encoded } = request;
    // The signature is over the bytes as they came.
    const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
    const event = receiveSync(bytes, headerOf(request, "service-signature"), secrets);
    await once(event, store, handle);
    return { statusCode: 204 };
  } catch (error) {
    console.error(error);
    return { statusCode: statusOf(error) };
  }
}
