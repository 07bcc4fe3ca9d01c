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
import { takeDeliveries } from "./events.ts";
import { serve } from "./serve.ts";
import { publicUrl, World } from "./world.ts";

export { NotInTestRegistry } from "./handler.ts";
export type { Clock, Fault, FaultOptions, SentRequest };

/** What `await using` ends; older programs have no name for it. */
type Disposing = Record<SymbolConstructor["asyncDispose" & keyof SymbolConstructor], () => PromiseLike<void>>;

/**
 * A registry in memory, for tests of applications: prompts with their versions and labels, tokens, and what goes wrong.
 * It is what `createClient` takes, and answers as the server does, or throws `NotInTestRegistry`, with the
 * code `not_in_test_registry`.
 */
export interface TestRegistry extends Disposing {
  /** Nothing listens there; `fetch` alone leads to it. */
  readonly baseUrl: string;
  /** Answers requests to `baseUrl`, and refuses all others. */
  readonly fetch: WebFetch<Fetch>;
  /** The account that is there from the start. */
  readonly handle: string;
  /** Its token, to read and to write. */
  readonly token: string;
  /** What was sent so far, the oldest first; empty it to count anew. */
  readonly requests: SentRequest[];
  readonly clock: Clock;
  /** With which `deliveries` signs. */
  readonly webhookSecret: string;
  /**
   * Makes an account, unless the handle has one already, and a token for it: with the scopes `read` and `write` unless
   * others are given.
   * @throws {TypeError} for a handle that nobody could have.
   */
  createAccount(handle: string, options?: { scopes?: Scope[] }): Promise<{ handle: string; token: string }>;
  /**
   * Ends a token at once.
   * @throws {Error} when there is no such token.
   */
  revokeToken(token: string): Promise<void>;
  /** Lets requests fail from now on. Faults that concern the same request come one after the other. */
  fail(fault: Fault, options?: FaultOptions): void;
  /** Takes all faults back that have not come yet. */
  heal(): void;
  /**
   * What has happened since it was asked last, the oldest first: signed requests, as a webhook of the owner gets them, for
   * `client.handleWebhook(delivery, registry.webhookSecret)`.
   */
  deliveries(): Promise<Request[]>;
  /** Ends it: requests fail from then on as if nobody listened. May be called twice. */
  close(): Promise<void>;
}

const webhookSecret = "whsec_of_a_registry_for_tests";

/** Makes a registry, which is ready at once and knows nothing of others. */
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
    deliveries: () => takeDeliveries(world, webhookSecret),
    close,
    [Symbol.asyncDispose]: close,
  };
}
