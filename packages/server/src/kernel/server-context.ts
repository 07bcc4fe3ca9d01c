import type { BlockList } from "node:net";
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { Activity } from "./activity.ts";
import type { Failures } from "./failures.ts";
import type { Mailer } from "./mailer.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { Readiness } from "./readiness.ts";
import type { SecretBox } from "./secret-box.ts";
import type { Holdings } from "./holdings.ts";
import type { Turns } from "./turns.ts";

/** What all requests and jobs of a process share. */
export interface ServerContext {
  sql: Sql;
  /** The origin that clients use, without a trailing slash. `url` fields begin with it. */
  publicUrl: string;
  secrets: SecretBox;
  log: Logger;
  failures: Failures;
  readiness: Readiness;
  trustedProxies: BlockList;
  /** Memory used for bodies and responses, by address. */
  holdings: Holdings;
  /** Limits concurrent requests, by address. */
  turns: Turns;
  /** Counts who opens and downloads what. */
  activity: Activity;
  /** Null: no limits. */
  limiter: RateLimiter | null;
  /** Null: no mail is sent. */
  mailer: Mailer | null;
  /** Development only: lets webhooks point to plain http, and webhooks and imports to private addresses. */
  allowUnsafeWebhooks: boolean;
  /** Tests only: a response outside its schema, or an undeclared error code, becomes a failure of the server. */
  checkAnswers: boolean;
}
