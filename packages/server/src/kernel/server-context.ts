import type { BlockList } from "node:net";
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { Failures } from "./failures.ts";
import type { Mailer } from "./mailer.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { Readiness } from "./readiness.ts";
import type { SecretBox } from "./secret-box.ts";
import type { Holdings } from "./holdings.ts";
import type { Turns } from "./turns.ts";

/** What the whole process shares. */
export interface ServerContext {
  sql: Sql;
  /** Origin under which clients reach us, without a trailing slash: what `url` fields are built from. */
  publicUrl: string;
  secrets: SecretBox;
  log: Logger;
  failures: Failures;
  readiness: Readiness;
  trustedProxies: BlockList;
  /** What is in memory for whom. */
  holdings: Holdings;
  /** Who is worked for, by address. */
  turns: Turns;
  /** Null where there are no limits. */
  limiter: RateLimiter | null;
  /** Null where no mail is sent. */
  mailer: Mailer | null;
  /** Development only: lets webhooks point to plain http and to private addresses. */
  allowUnsafeWebhooks: boolean;
  /** Tests only: an answer outside its schema or an undeclared error code becomes a failure of the server. */
  checkAnswers: boolean;
}
