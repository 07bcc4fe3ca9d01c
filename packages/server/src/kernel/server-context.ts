import type { KeyObject } from "node:crypto";
import type { BlockList } from "node:net";
import type { SuggestionProvider } from "@promptreg/core/suggestions";
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { TokenUses } from "./accounts/token-uses.ts";
import type { Activity } from "./changes/activity.ts";
import type { Bus } from "./changes/bus.ts";
import type { Cdn } from "./cdn.ts";
import type { Waits } from "./changes/waits.ts";
import type { Failures } from "./failures/failures.ts";
import type { Mailer } from "./mailer.ts";
import type { RateLimiter } from "./rate-limits/rate-limit.ts";
import type { Guard } from "./reach/request.ts";
import type { Replicas } from "./replicas.ts";
import type { Readiness } from "./failures/readiness.ts";
import type { Follow } from "./telemetry/access.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import type { SecretBox } from "./secrets/secret-box.ts";
import type { Scanner } from "./media/scanner.ts";
import type { Store } from "./store/store.ts";
import type { Holdings } from "./http/holdings.ts";
import type { Turns } from "./http/turns.ts";

/** What all requests and jobs of a process share. */
export interface ServerContext {
  sql: Sql;
  /** One connection for the hottest reads, of which many share a statement that is planned once. */
  readSql: Sql;
  /** Standbys of the database. */
  replicas: Replicas;
  /** The origin that clients use, without a trailing slash. `url` fields begin with it. */
  publicUrl: string;
  /** The origin that serves media. */
  mediaUrl: string;
  /** Nothing is shown to whoever has no token. */
  isForMembers: boolean;
  /** A pooler is between requests and the database. */
  isPooled: boolean;
  /** Null: no CDN keeps versions for long. */
  cdn: Cdn | null;
  secrets: SecretBox;
  log: Logger;
  failures: Failures;
  readiness: Readiness;
  /** Null: nobody asks for figures. */
  metrics: Metrics | null;
  /** Null: nobody wants to know of requests. */
  follow: Follow | null;
  trustedProxies: BlockList;
  /** Memory used for bodies and responses, by address. */
  holdings: Holdings;
  /** Limits concurrent requests, by address. */
  turns: Turns;
  /** Counts who opens and downloads what. */
  activity: Activity;
  /** Notes when tokens are used. */
  tokenUses: TokenUses;
  /** Tells all processes what was committed. */
  bus: Bus;
  /** Reads that wait for what is committed. */
  waits: Waits;
  /** Null: no limits. */
  limiter: RateLimiter | null;
  /** Keeps the bytes of media. */
  store: Store;
  /** Null: nobody looks for malware in uploads. */
  scanner: Scanner | null;
  /** The most bytes that the files of an account may take. */
  accountBytes: number;
  /** Words by which comments are held, as `wordsOf` writes them. */
  heldWords: readonly string[];
  /** Who makes suggestions, in the order in which they are asked. None: suggestions are off. */
  suggestions: readonly SuggestionProvider[];
  /** Null: no mail is sent. */
  mailer: Mailer | null;
  /** The key by which Discord signs. Null: this server is not set up for it. */
  discordKey: KeyObject | null;
  /** Answers a read of the API, such as `/search?q=x`, as for a caller without a token. Nobody's limits count it. */
  ask(path: string): Promise<Response>;
  /** What webhooks reach beside the Internet, and by which proxy. */
  webhookReach: Pick<Guard, "opened" | "tunnel">;
  /** Development only: lets webhooks point to plain http, and webhooks and imports to private addresses. */
  allowUnsafeWebhooks: boolean;
  /** Tests only: a response outside its schema, or an undeclared error code, becomes a failure of the server. */
  checkAnswers: boolean;
}
