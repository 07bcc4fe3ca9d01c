import { type AnyInput, type Connection, call } from "./call.ts";
import type { CallOptions, Client } from "./methods.ts";
import { routes } from "./routes.ts";

export interface ClientOptions {
  /** Where the server is. When absent, the variable PROMPTREG_URL, else `http://127.0.0.1:8787`. */
  baseUrl?: string | undefined;
  /** When absent, the variable PROMPTREG_TOKEN; null calls without one. */
  token?: string | null | undefined;
  /** Sends the requests: a proxy, a test, or a faster one than the runtime's. */
  fetch?: typeof fetch | undefined;
  /** How long to wait for an answer, for each attempt; 30,000 when absent. */
  timeoutMs?: number | undefined;
  /** How often what failed for the moment is sent again, where that is safe; 2 when absent. */
  retries?: number | undefined;
}

/**
 * Makes a client. Nothing is sent until an operation is called.
 * @throws {TypeError} for an address or a token that cannot be right.
 */
export function createClient(options: ClientOptions = {}): Client {
  const connection: Connection = {
    baseUrl: readBaseUrl(options.baseUrl ?? fromEnvironment("PROMPTREG_URL") ?? "http://127.0.0.1:8787"),
    token: readToken(options.token === undefined ? fromEnvironment("PROMPTREG_TOKEN") : options.token),
    // Looked up at each call, for tools that put a fetch of their own in its place.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 2,
  };
  const client: Tree = {};
  for (const id of Object.keys(routes) as (keyof typeof routes)[]) {
    const names = id.split(".");
    const last = names.pop() as string;
    let node = client;
    for (const name of names) node = (node[name] ??= {}) as Tree;
    node[last] = (input?: AnyInput, callOptions?: CallOptions) => call(connection, id, input, callOptions);
  }
  return client as unknown as Client;
}

interface Tree {
  [name: string]: Tree | ((input?: AnyInput, options?: CallOptions) => Promise<unknown>);
}

/** Browsers and workers have no environment, and some runtimes ask before they show theirs. */
function fromEnvironment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** What stands in a refused address or token may be a secret, so neither is repeated. */
function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isHttp || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError(
      "The server's address must look like https://registry.example.com, without credentials.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

function readToken(text: string | null | undefined): string | undefined {
  const token = text?.trim();
  if (!token) return undefined;
  if (/[^\x21-\x7e]/.test(token))
    throw new TypeError("The token holds characters that no token has. Copy it again.");
  return token;
}
