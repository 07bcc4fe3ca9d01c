import type { Cdn } from "../cdn.ts";
import type { GroupWork } from "../group.ts";
import { whyUnanswered } from "../reach/unanswered.ts";
import type { ServerContext } from "../server-context.ts";
import {
  delayPurges,
  deletePurges,
  endPurges,
  hasDuePurges,
  hastenPurges,
  lockPurges,
  type Purge,
} from "./purges.sql.ts";

/** As long, a connection of the worker has a transaction open. */
const timeoutMs = 5_000;

/** Has the CDN forget what is not public any more, in a process that runs a worker. */
export function workOnPurges({
  sql,
  cdn,
  failures,
}: Pick<ServerContext, "sql" | "cdn" | "failures">): GroupWork {
  if (cdn === null) return { everyMinute: () => deletePurges(sql) };
  const stopping = new AbortController();
  let sending: Promise<void> | undefined;

  /** Whether there may be more. */
  const sendSome = (cdn: Cdn): Promise<boolean> =>
    sql.begin(async (sql) => {
      const purges = await lockPurges(sql);
      if (purges.length === 0) return false;
      try {
        await send(cdn, purges, stopping.signal);
      } catch (error) {
        failures.report(error, { operation: "purge" });
        await delayPurges(sql, purges);
        return false;
      }
      await endPurges(sql, purges);
      await hastenPurges(sql);
      return true;
    });

  // Perhaps it was started with other settings.
  let isFirst = true;
  async function sendDue(cdn: Cdn): Promise<void> {
    if (isFirst) await hastenPurges(sql);
    isFirst = false;
    while ((await hasDuePurges(sql)) && (await sendSome(cdn)));
  }

  return {
    /** Does not wait for the CDN, since nothing else may wait for it. */
    async wake() {
      sending ??= sendDue(cdn)
        .catch((error: unknown) => failures.report(error, { operation: "purge" }))
        .finally(() => (sending = undefined));
    },
    idle: async () => sending,
    async stop() {
      stopping.abort();
      await sending;
    },
  };
}

/** How often a server without a worker looks for purges. */
const lookMs = 1_000;

/** Purges in a server without a worker: whoever lets a CDN keep something has it forgotten, though workers know of no CDN. */
export function startPurging(server: Pick<ServerContext, "sql" | "cdn" | "failures">): {
  stop(): Promise<void>;
} {
  const work = workOnPurges(server);
  const timer = setInterval(() => void work.wake?.({ isComplete: false }), lookMs);
  return {
    async stop() {
      clearInterval(timer);
      await work.stop?.();
    },
  };
}

/**
 * One request for several keys. Each CDN reads the fields that it knows: Fastly and Varnish the header Surrogate-Key, Cloudflare the tags.
 * @throws {Error} that says what the CDN answered, without the token.
 */
async function send(
  { purgeUrl, token }: Cdn,
  purges: readonly Purge[],
  stopping: AbortSignal,
): Promise<void> {
  const keys = [...new Set(purges.map(({ key }) => key))];
  let said: string;
  try {
    const response = await fetch(purgeUrl, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
      headers: {
        "content-type": "application/json",
        "surrogate-key": keys.join(" "),
        ...(token !== null && { authorization: `Bearer ${token}`, "fastly-key": token }),
      },
      body: JSON.stringify({ tags: keys }),
    });
    await response.body?.cancel();
    if (response.ok) return;
    said = `answered ${response.status}`;
  } catch (error) {
    said = whyUnanswered(error, timeoutMs);
  }
  const sentence = `The CDN of CDN_PURGE_URL ${said}. It may show what it has of ${keys.length} prompts or pictures that are public no more, until it takes the purge.`;
  // Not a fault of the server, but of what it needs.
  throw Object.assign(new Error(sentence), { code: "ECONNCDN" });
}
