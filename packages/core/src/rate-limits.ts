/** How many requests may pass within a sliding window. */
export interface RateLimit {
  /**
   * Whose requests are counted together: those from an IPv4 address or IPv6 /64, of a token (or, without one, from an
   * address), of an account, or to the thing acted on.
   */
  per: "ip" | "token" | "account" | "target";
  quota: number;
  windowSeconds: number;
}

/** The policies by name, with the values of a server that was told no others (`RATE_LIMITS`). */
export const rateLimits = {
  /** Every request, with a token too. */
  ip: { per: "ip", quota: 6000, windowSeconds: 60 },
  /** Requests without a token. */
  anon: { per: "ip", quota: 120, windowSeconds: 60 },
  read: { per: "token", quota: 6000, windowSeconds: 60 },
  write: { per: "token", quota: 1200, windowSeconds: 60 },
  /** Reporting runs and results. */
  evals: { per: "token", quota: 120, windowSeconds: 60 },
  /** Looking for words. */
  search: { per: "token", quota: 30, windowSeconds: 60 },
  /** Test pings to one webhook. */
  ping: { per: "target", quota: 10, windowSeconds: 60 },
  /** Answers that were 401. A valid token passes even when they are used up. */
  auth: { per: "ip", quota: 20, windowSeconds: 600 },
} as const satisfies Record<string, RateLimit>;

/** The name of a policy, as the fields `RateLimit-Policy` and `RateLimit` show it. */
export type RatePolicy = keyof typeof rateLimits;

/** A limit for each policy. */
export type RateLimits = Readonly<Record<RatePolicy, RateLimit>>;
