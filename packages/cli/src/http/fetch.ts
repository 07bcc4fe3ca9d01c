import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline, Readable } from "node:stream";
import { LeanFormData, LeanRequest, LeanResponse, type RequestOptions } from "./web.ts";

const mostRedirects = 20;

/** Sends a request and follows where it is led, as fetch does. The token goes to no other server. */
export async function leanFetch(
  input: string | URL | LeanRequest,
  options?: RequestOptions,
): Promise<LeanResponse> {
  const request = input instanceof LeanRequest ? input : new LeanRequest(input, options);
  let { url, method, content } = request;
  const headers = Object.fromEntries(request.headers);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const message = await exchange(url, { method, headers, content, signal: request.signal });
    const { statusCode = 0 } = message;
    const { location } = message.headers;
    const isLed = [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined;
    if (!isLed || request.redirect === "manual") return toResponse(message, url);
    message.resume();
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) delete headers["authorization"];
    if ((statusCode === 303 && method !== "HEAD") || (statusCode < 303 && method === "POST")) {
      method = "GET";
      content = undefined;
      delete headers["content-type"];
    }
    url = next.href;
  }
  throw new TypeError("fetch failed", {
    cause: new Error("Too many redirects."),
  });
}

function toResponse(message: IncomingMessage, url: string): LeanResponse {
  const { statusCode: status, statusMessage: statusText, rawHeaders } = message;
  // Nobody reads a body that there is not, and until then the connection would keep the process alive.
  if (status === 204 || status === 304) message.resume();
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : [],
  );
  return new LeanResponse(message, { status, statusText, headers, url });
}

interface Exchanged extends Pick<LeanRequest, "method" | "content" | "signal"> {
  headers: Record<string, string>;
}

function exchange(url: string, { content, signal, ...options }: Exchanged): Promise<IncomingMessage> {
  // Node says by itself how long a body is, but not that of a DELETE, which the server would then not read.
  const length = content instanceof LeanFormData ? content.size : content && Buffer.byteLength(content);
  const headers = { ...options.headers, ...(content && { "content-length": length }) };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause: error }));
    const begin = url.startsWith("https:") ? requestHttps : requestHttp;
    const request = begin(url, { ...options, headers, ...(signal && { signal }) }, resolve).on("error", fail);
    if (content instanceof LeanFormData)
      pipeline(Readable.from(content.read()), request, (error) => error && fail(error));
    else request.end(content);
  });
}
