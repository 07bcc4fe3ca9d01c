import { randomUUID } from "node:crypto";
import { asApiError } from "../../kernel/failures/as-api-error.ts";
import type { GroupWork } from "../../kernel/group.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { endMedia, processMedia } from "./process.ts";
import { type Held, releaseMedia, takeMedia } from "./work.sql.ts";

/** How many one process works on at once: each uses a core. */
const slots = 2;
/** After so many attempts that broke off, media are rejected. */
const maxAttempts = 3;
const pauseSeconds = 10;
/** While the store or the scanner is away, or a disk is full: nothing is said of the media by that. */
const outageSeconds = 60;

/** Works on media. A job only wakes it: what there is to do is known by their status. */
export function workOnMedia(server: ServerContext): GroupWork {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  /** Whether something may have come since the last look. */
  let isWoken = false;

  const wake = async () => {
    isWoken = true;
    if (running.size >= slots || stopping.signal.aborted) return;
    const run = workOff()
      .catch((error: unknown) => server.failures.report(error, { operation: "media" }))
      .finally(() => {
        running.delete(run);
        // Something came after the last look.
        if (isWoken) void wake();
      });
    running.add(run);
  };
  const idle = async () => {
    while (running.size > 0) await Promise.all(running);
  };

  async function workOff(): Promise<void> {
    while (isWoken && !stopping.signal.aborted) {
      isWoken = false;
      const held = await takeMedia(server.sql, randomUUID());
      if (held === null) continue;
      // There may be more, of others too.
      void wake();
      await work(held);
      // The next one of its account had to wait for it.
      isWoken = true;
    }
  }

  async function work(held: Held): Promise<void> {
    try {
      // The processes before were killed, perhaps by these media.
      if (held.attempts > maxAttempts)
        throw new Error(`work on ${held.id} began ${maxAttempts} times in vain`);
      await processMedia(server, held, { signal: stopping.signal });
    } catch (error) {
      if (stopping.signal.aborted)
        return void (await releaseMedia(server.sql, held, { pauseSeconds: 0, isAttempt: false }));
      server.failures.report(error, { operation: "media", mediaId: held.id });
      if (asApiError(error).code === "unavailable")
        await releaseMedia(server.sql, held, { pauseSeconds: outageSeconds, isAttempt: false });
      else if (held.attempts >= maxAttempts) {
        server.log.warn({ mediaId: held.id }, "media were rejected: work on them failed three times");
        await endMedia(server, held, brokeOff);
      } else await releaseMedia(server.sql, held, { pauseSeconds, isAttempt: true });
    }
  }

  return {
    tasks: { process_media: wake },
    // After a crash, jobs stay locked for hours. Leases end sooner.
    sweep: wake,
    idle,
    async stop() {
      stopping.abort();
      await idle();
    },
  };
}

const brokeOff = "Something went wrong on the server. Send it again later.";
