/** How many requests are allowed within a sliding window. */
export interface RateLimit {
  /**
   * Which requests are counted together: those from an IPv4 address or IPv6 /64, of a token (without one, from an address), of
   * an account, or on a target, such as a person in Discord.
   */
  per: "ip" | "token" | "account" | "target";
  quota: number;
  windowSeconds: number;
}

/** The policies by name, with their default values (`RATE_LIMITS` changes them). */
export const rateLimits = {
  /** Every request, with a token too. */
  ip: { per: "ip", quota: 6000, windowSeconds: 60 },
  /** Requests without a token. */
  anon: { per: "ip", quota: 120, windowSeconds: 60 },
  read: { per: "token", quota: 6000, windowSeconds: 60 },
  write: { per: "token", quota: 1200, windowSeconds: 60 },
  /** Reporting runs and results. */
  evals: { per: "token", quota: 120, windowSeconds: 60 },
  /** Searches. */
  search: { per: "token", quota: 30, windowSeconds: 60 },
  /** Comments that are written: each can tell many. */
  comment: { per: "account", quota: 60, windowSeconds: 600 },
  /** Imports that are created. */
  import: { per: "account", quota: 20, windowSeconds: 3600 },
  /** Media, and chunks of files that are uploaded. */
  upload: { per: "account", quota: 200, windowSeconds: 3600 },
  /** Reads that wait for a change, for an account, or without one for an address. One lasts up to 30 seconds. */
  wait: { per: "account", quota: 3000, windowSeconds: 30 },
  /** Commands of one person in Discord. */
  discord: { per: "target", quota: 30, windowSeconds: 60 },
  /** Codes that an account tries to link itself by. */
  link: { per: "account", quota: 10, windowSeconds: 600 },
  /** Suggestions: a model costs money. */
  ai: { per: "account", quota: 50, windowSeconds: 86_400 },
  /** Test pings to one webhook. */
  ping: { per: "target", quota: 10, windowSeconds: 60 },
  /** Responses with 401. A valid token works even if this limit is used up. */
  auth: { per: "ip", quota: 20, windowSeconds: 600 },
} as const satisfies Record<string, RateLimit>;

/** The name of a policy, as in the headers `RateLimit-Policy` and `RateLimit`. */
export type RatePolicy = keyof typeof rateLimits;

/** A limit for each policy. */
export type RateLimits = Readonly<Record<RatePolicy, RateLimit>>;
