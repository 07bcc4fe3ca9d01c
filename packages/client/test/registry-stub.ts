import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import { type ClientOptions, createClient, type Lockfile } from "../src/index.ts";

export const origin = "http://registry.test";
const server = setupServer();

/** Replaces the network with a registry whose responses and clock the test sets. */
export function stubRegistry(): void {
  beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    requests.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
    server.resetHandlers();
  });
  afterAll(() => server.close());
}

export const requests: Request[] = [];
export const seconds = (count: number) => void vi.setSystemTime(Date.now() + count * 1000);
export const settled = () => vi.waitFor(() => expect(requests.length).toBeGreaterThan(0));

export function versionOf(n: number, content = `Version ${n} for {{name}}.`) {
  const variables = [{ name: "name", type: "text", required: true, default: null }];
  return {
    id: `ver_${n}`,
    n,
    promptId: "prm_1",
    entry: "PROMPT.md",
    files: [{ path: "PROMPT.md", encoding: "utf8", content }],
    variables,
    config: { model: "m" },
  };
}
/** For the prompt and label of the request. */
export const resolvedTo =
  (n: number | null) =>
  ({ url } = { url: `${origin}/api/v1/prompts/ada/reply?label=production` }) => {
    const { pathname, searchParams } = new URL(url);
    const label = searchParams.get("label");
    return HttpResponse.json(
      {
        ref: pathname.replace("/api/v1/prompts/", ""),
        resolvedBy: label ? { type: "label", value: label } : { type: "latest", value: null },
        yanked: false,
        version: n && versionOf(n),
      },
      { headers: { etag: `"v${n}"`, "x-request-id": "req-1" } },
    );
  };
export const refused =
  (status: number, code: string, headers = {}) =>
  () =>
    HttpResponse.json(
      { error: { code, message: "No.", requestId: "req-1" } },
      { status, headers: { "x-request-id": "req-1", ...headers } },
    );
export const down = () => HttpResponse.error();
export const page = (status: number) => () =>
  new HttpResponse("<h1>nginx</h1>", { status, headers: { "content-type": "text/html" } });

/** Sets the response to all requests. A request with the current ETag gets 304, as from the registry. */
export function serve(answer: (request: Request) => Response | Promise<Response>): void {
  server.use(
    http.all(`${origin}/*`, async ({ request }) => {
      requests.push(request);
      // A clone, since a test may return one response to several requests.
      const response = (await answer(request)).clone();
      const etag = response.headers.get("etag");
      const isKnown = etag !== null && request.headers.get("if-none-match") === etag;
      return isKnown ? new HttpResponse(null, { status: 304, headers: { etag } }) : response;
    }),
  );
}
export const clientOf = (options: ClientOptions = {}) =>
  createClient({ baseUrl: origin, token: "prt_test", retries: 0, ...options });
export const pinnedTo = (n: number) => () => version(versionOf(n));
/** For the request of a version. */
export const version = (found: { n: number }, { ref = "ada/reply", yanked = false } = {}) =>
  HttpResponse.json(
    { ref, resolvedBy: { type: "version", value: found.n }, yanked, version: found },
    { headers: { "x-request-id": "req-1" } },
  );

export const lockfile: Lockfile = {
  lockfileVersion: 1,
  prompts: {
    "ada/reply@production": {
      ...({
        ...versionOf(7, "Locked, {{name}}."),
        contentHash: "sha256:00",
      } as never as Lockfile["prompts"][string]),
      version: 7,
    },
  },
};
