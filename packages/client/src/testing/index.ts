import type { Scope } from "@promptreg/core";
import {
  type Fault,
  type FaultOptions,
  Faults,
  fetchFrom,
  type SentRequest,
  type WebFetch,
} from "@promptreg/core/testing";
import type { Fetch } from "../attempts.ts";
import type { Request } from "../web.ts";
import type { Clock } from "./clock.ts";
import { sweep } from "./evals/sweep.ts";
import { takeDeliveries } from "./events.ts";
import { serve } from "./serve.ts";
import { publicUrl, World } from "./world.ts";

export { NotInTestRegistry } from "./handler.ts";
export type { Clock, Fault, FaultOptions, SentRequest };

/** Support for `await using`. Older programs have no type for it. */
type Disposing = Record<SymbolConstructor["asyncDispose" & keyof SymbolConstructor], () => PromiseLike<void>>;

/**
 * A registry in memory, for tests of applications: prompts with their versions and labels, search, evals, tokens and faults.
 * Pass it to `createClient`. It responds as the server does, or throws `NotInTestRegistry` with the code `not_in_test_registry`.
 */
export interface TestRegistry extends Disposing {
  /** Only `fetch` reaches it: no server listens there. */
  readonly baseUrl: string;
  /** Sends requests to `baseUrl`, and rejects all others. */
  readonly fetch: WebFetch<Fetch>;
  /** The first account. */
  readonly handle: string;
  /** Its token, with the scopes `read` and `write`. */
  readonly token: string;
  /** The requests so far, oldest first. Empty it to count from zero. */
  readonly requests: SentRequest[];
  readonly clock: Clock;
  /** The secret of `deliveries`. */
  readonly webhookSecret: string;
  /**
   * Creates an account, unless it exists, and a token for it. Default scopes: `read` and `write`.
   * @throws {TypeError} if the handle is invalid.
   */
  createAccount(handle: string, options?: { scopes?: Scope[] }): Promise<{ handle: string; token: string }>;
  /**
   * Revokes a token at once.
   * @throws {Error} if there is no such token.
   */
  revokeToken(token: string): Promise<void>;
  /** Adds a fault to the next requests. Several faults for the same requests come one after the other. */
  fail(fault: Fault, options?: FaultOptions): void;
  /** Removes all remaining faults. */
  heal(): void;
  /**
   * The events since the last call, oldest first, as signed requests to a webhook of the owner. Use them with
   * `client.handleWebhook(delivery, registry.webhookSecret)`.
   */
  deliveries(): Promise<Request[]>;
  /** Closes the registry: later requests fail as if the server were down. Can be called twice. */
  close(): Promise<void>;
}

const webhookSecret = "whsec_of_a_registry_for_tests";

/** Creates a registry. It is ready at once, and independent of others. */
export function createTestRegistry(): TestRegistry {
  const world = new World();
  const faults = new Faults();
  const requests: SentRequest[] = [];
  const closing = new AbortController();
  const close = async () => closing.abort();
  const handle = "ada";
  return {
    baseUrl: publicUrl,
    fetch: fetchFrom((request, called) => serve(world, request, called), {
      origin: publicUrl,
      faults,
      requests,
      closed: closing.signal,
    }),
    handle,
    token: world.join(handle),
    requests,
    clock: world.clock,
    webhookSecret,
    createAccount: async (name, { scopes } = {}) => ({ handle: name, token: world.join(name, scopes) }),
    async revokeToken(token) {
      if (!world.callers.delete(token)) throw new Error("There is no such token in this registry.");
    },
    fail: (fault, options = {}) => faults.add(fault, options),
    heal: () => faults.clear(),
    deliveries() {
      sweep(world);
      return takeDeliveries(world, webhookSecret);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
