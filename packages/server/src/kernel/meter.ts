import { rateLimits, type RatePolicy } from "@promptreg/core";
import type { Charge } from "./rate-counts.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { Quota } from "./rate-window.ts";

/** What one request uses up of the limits, and what its answer tells of them. */
export class Meter {
  readonly #limiter: RateLimiter;
  readonly #network: string;
  /** The caller's token, or where there is none their address. */
  #key: string;
  #charges: Charge[];
  #quota: Quota | undefined;

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
    this.#quota = this.#limiter.take(this.#charges);
  }

  /**
   * Counts it under a policy of the operation's own, which its answer then tells of: for its caller, or for what it
   * acts on.
   * @throws {RateLimited}
   */
  add(policy: RatePolicy, targetId: string | undefined): void {
    const key = rateLimits[policy].per === "target" && targetId !== undefined ? targetId : this.#key;
    this.#quota = this.#limiter.take([{ policy, key }]);
  }

  /**
   * Counts an answer that was 401; what was refused for its form is counted here for the first time.
   * @throws {RateLimited} when it is to be a 429.
   */
  refuse(): void {
    const isCounted = this.#quota !== undefined;
    this.#quota = this.#limiter.take([
      ...(isCounted ? [] : this.#charges),
      { policy: "auth", key: this.#network },
    ]);
  }

  /** Takes the request back: an answer without a body costs nothing. */
  giveBack(): void {
    this.#quota = this.#limiter.giveBack(this.#charges);
  }

  /** The fields of the answer. */
  fields(): Record<string, string> | undefined {
    return this.#quota && this.#limiter.fields(this.#quota);
  }
}
