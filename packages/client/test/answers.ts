import { createClient, type Fetch } from "../src/index.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** A client with recorded requests. They get the responses in turn, and the last one from then on, each with a request id. */
export function answering(...answers: [Answer, ...Answer[]]) {
  const requests: Request[] = [];
  const fetch: Fetch<Response> = async (url, init) => {
    const request = new Request(url, init);
    requests.push(request);
    const response = await (answers[requests.length - 1] ?? answers.at(-1)!)(request);
    if (!response.headers.has("x-request-id")) response.headers.set("x-request-id", "req-1");
    return response;
  };
  const connect = (options: Parameters<typeof createClient>[0] = {}) =>
    createClient({ baseUrl: "http://registry.test", token: "prt_secret", fetch, ...options });
  return { requests, fetch, connect, client: connect() };
}

export const json =
  (data: unknown, init: ResponseInit = {}): Answer =>
  () =>
    Response.json(data, init);

export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json(
    { error: { code, message: "It went wrong.", requestId: "req-1" } },
    { status, headers: { "x-request-id": "req-1", ...headers } },
  );

/** Never responds, and rejects when the request is aborted, as a real one does. */
export const silence: Answer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
