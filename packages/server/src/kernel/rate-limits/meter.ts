import { rateLimits, type RatePolicy } from "@promptreg/core";
import { type Charge, RateLimited } from "./rate-counts.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { Quota } from "./rate-window.ts";

/** Counts one request against the limits, and gives the headers about them. */
export class Meter {
  readonly #limiter: RateLimiter;
  readonly #network: string;
  /** The caller's token, or without one their address. */
  #key: string;
  #charges: Charge[];
  readonly #added = new Set<RatePolicy>();
  #quota: Quota | undefined;
  #refusal: RateLimited | undefined;

  constructor(limiter: RateLimiter, network: string) {
    this.#limiter = limiter;
    this.#network = network;
    this.#key = network;
    this.#charges = [{ policy: "ip", key: network }];
  }

  /**
   * Counts the request for its address, and for its token under the given policy or as an anonymous one.
   * @throws {RateLimited}
   */
  begin(policy: RatePolicy, credential: Buffer | null): void {
    if (credential !== null) this.#key = credential.toString("latin1");
    this.#charges.push({ policy: credential === null ? "anon" : policy, key: this.#key });
    this.count();
  }

  /**
   * Counts the request for its address alone.
   * @throws {RateLimited}
   */
  count(): void {
    this.#take(this.#charges);
  }

  /**
   * Counts it under the operation's own policy, for its token, its account or its target, and once for each policy: a read that failed on a
   * replica runs again on the primary. The headers of the response then describe that policy.
   * @throws {RateLimited}
   */
  add(policy: RatePolicy, ids: { target: string | undefined; account: string | undefined }): void {
    if (this.#added.has(policy)) return;
    const { per } = rateLimits[policy];
    const id = per === "target" || per === "account" ? ids[per] : undefined;
    this.#take([{ policy, key: id ?? this.#key }]);
    this.#added.add(policy);
  }

  /**
   * Counts a 401. A request with a malformed token was not counted before.
   * @throws {RateLimited} if the response must be 429 instead.
   */
  refuse(): void {
    const isCounted = this.#quota !== undefined;
    this.#take([...(isCounted ? [] : this.#charges), { policy: "auth", key: this.#network }]);
  }

  /** Uncounts the request: a response without a body is free. */
  giveBack(): void {
    this.#quota = this.#limiter.giveBack(this.#charges);
  }

  /** The headers about the limits, also for a 429. */
  fields(): Record<string, string> | undefined {
    return this.#refusal?.fields ?? (this.#quota && this.#limiter.fields(this.#quota));
  }

  #take(charges: readonly Charge[]): void {
    try {
      this.#quota = this.#limiter.take(charges);
    } catch (error) {
      if (error instanceof RateLimited) this.#refusal = error;
      throw error;
    }
  }
}
