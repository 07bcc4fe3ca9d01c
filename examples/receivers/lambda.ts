// A receiver on AWS Lambda, behind a function URL, an HTTP API, a REST API or a load balancer.
//
// Use a store outside the function, as in stores/: each instance has its own memory.
import { once, receiveSync } from "@promptreg/core/webhooks/node";
import { handle, secrets, statusOf, store } from "./inbox.ts";

/** The fields that we read of Lambda's event, in all of its forms. */
export interface HttpEvent {
  body?: string | null;
  isBase64Encoded?: boolean;
  headers?: Record<string, string | undefined> | null;
  multiValueHeaders?: Record<string, string[] | undefined> | null;
}

/** Names come as they were sent or in lower case; values come alone, in lists, or both. */
const headerOf = ({ headers, multiValueHeaders }: HttpEvent, name: string) =>
  Object.entries({ ...multiValueHeaders, ...headers }).find(([key]) => key.toLowerCase() === name)?.[1];

export async function handler(request: HttpEvent): Promise<{ statusCode: number }> {
  try {
    const { body, isBase64Encoded } = request;
    // The signature covers the raw bytes.
    const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
    const event = receiveSync(bytes, headerOf(request, "service-signature"), secrets);
    await once(event, store, handle);
    return { statusCode: 204 };
  } catch (error) {
    console.error(error);
    return { statusCode: statusOf(error) };
  }
}
