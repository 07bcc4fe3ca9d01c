import type { Contract } from "@promptreg/core";
import type { Fetch, OnAttempt } from "./attempts.ts";
import { call } from "./call.ts";
import type { AnyInput, AnyOptions } from "./calls.ts";
import type { Connection, Validate } from "./exchange.ts";
import { operationIds } from "./generated/ids.ts";
import type { Methods } from "./methods.ts";
import type { PromptCacheOptions } from "./prompts/options.ts";
import { type PromptMethods, promptMethods } from "./prompts/index.ts";
import { limit, refuseMisspelt } from "./limits.ts";
import { readToken, type TokenSource } from "./token.ts";

/** Every operation of the API under its id: `prompts.labels.put` is `client.prompts.labels.put(…)`. */
export interface Client extends Methods<Contract>, PromptMethods {}

/** A client whose token may write and not read: `createClient<WriteOnlyClient>()`. What it writes is not shown to it: it gets `undefined`. */
export interface WriteOnlyClient extends Methods<Contract, "write-only">, PromptMethods {}

/** Options of a client. */
export interface ClientOptions {
  /** The address of the server. Default: the variable PROMPTREG_URL, else `http://127.0.0.1:8787`. */
  baseUrl?: string | undefined;
  /**
   * Default: the variable PROMPTREG_TOKEN. Null sends no token. A function is called once for each call; if it rejects,
   * so does the call. The function itself caches and renews the token.
   */
  token?: string | TokenSource | null | undefined;
  /** Sends the requests in place of the global `fetch`: a proxy, a test, or `undici.fetch`. */
  fetch?: Fetch | undefined;
  /**
   * The longest silence: how long each attempt waits for a response to begin, and then for each next part of it. While
   * bytes arrive, it does not end a response. It holds for the body of a download too. Default: 30,000.
   */
  timeoutMs?: number | undefined;
  /** Instead of `timeoutMs`, once a response has begun: for a `fetch` that lets requests wait for their turn. */
  bodyTimeoutMs?: number | undefined;
  /**
   * The limit of a whole call: all attempts, the waits between them and the token. The call fails at once if the next
   * attempt would begin later. Default: 60,000, or `timeoutMs` if that is longer. If you set it, it ends a slow response
   * too, but no download that has begun.
   */
  deadlineMs?: number | undefined;
  /** How many retries a temporary failure gets, where a retry is safe. Default: 2. */
  retries?: number | undefined;
  /**
   * For logs and traces: called for each attempt. It can add headers, and can return a function that receives the
   * outcome.
   */
  onAttempt?: OnAttempt | undefined;
  /** Checks the JSON of each response and throws if it is wrong: `validateAnswer` of `@promptreg/client/validate`. */
  validate?: Validate | undefined;
  /** The cache of `client.prompt(…)`. */
  cache?: PromptCacheOptions | undefined;
}

const optionNames = "baseUrl token fetch timeoutMs bodyTimeoutMs deadlineMs retries onAttempt validate cache";

/**
 * Makes a client. Nothing is sent until an operation is called.
 * @throws {TypeError} if the address, the token or a time is malformed, or an option is misspelt.
 */
export function createClient<Kind extends Client | WriteOnlyClient = Client>(
  options: ClientOptions = {},
): Kind {
  const { baseUrl, token: given, fetch, retries = 2, cache, ...others } = options;
  refuseMisspelt(options, optionNames);
  limit(options);
  const token = given === undefined ? fromEnvironment("PROMPTREG_TOKEN") : given;
  const connection: Connection = {
    ...others,
    baseUrl: readBaseUrl(baseUrl ?? fromEnvironment("PROMPTREG_URL") ?? "http://127.0.0.1:8787"),
    token: typeof token === "function" ? token : readToken(token),
    // Looked up at each call, since tools replace the global fetch. Called without a this value, since the fetch of
    // browsers and workers throws when it is called as a method.
    fetch: async (...request) => (fetch ?? globalThis.fetch)(...request) as Promise<Response>,
    retries,
  };
  const client: Tree = {};
  for (const line of operationIds.split("\n")) {
    const [group = "", ...names] = line.split(" ");
    let node = client;
    for (const name of group.split(".")) node = (node[name] ??= {}) as Tree;
    for (const name of names)
      node[name] = (input?: AnyInput, callOptions?: AnyOptions) =>
        call(connection, `${group}.${name}`, input, callOptions);
  }
  return Object.assign(client, promptMethods(connection, cache)) as unknown as Kind;
}

interface Tree {
  [name: string]: Tree | ((input?: AnyInput, options?: AnyOptions) => Promise<unknown>);
}

/** Browsers and workers have no environment, and some runtimes ask the user for permission first. */
function fromEnvironment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** The error does not repeat the address, since it may contain a secret. */
function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url !== null && /^https?:$/.test(url.protocol);
  if (!isHttp || url.username + url.password + url.search + url.hash !== "") {
    throw new TypeError(
      "The server's address must look like https://registry.example.com, without credentials.",
    );
  }
  // The documentation shows each address with /api/v1, so it is accepted here too.
  return withoutSlashes(withoutSlashes(url.href).replace(/\/api\/v1$/, ""));
}

const withoutSlashes = (text: string) => text.replace(/(?<!\/)\/+$/, "");
