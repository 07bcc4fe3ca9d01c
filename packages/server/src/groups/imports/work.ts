import { randomUUID } from "node:crypto";
import type { ImportStatus } from "@promptreg/core";
import type { GroupWork } from "../../kernel/group.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { commitItems, failItems } from "./commit/commit-items.ts";
import { detectImport, failImport } from "./detection/detect.ts";
import { expireImports } from "./expire.sql.ts";
import { deleteOldFolders } from "./folders.ts";
import { type Held, releaseImport, renewLease, renewMs, requeueLost, takeImport } from "./work.sql.ts";

/** After so many attempts that broke off, an import has failed. */
const maxAttempts = 3;
const pauseSeconds = 10;
/** Who used so much more than somebody who waits makes room, and begins anew later. */
const marginMs = 5_000;

/** A kind of work, and the imports that need it. */
interface Craft {
  statuses: readonly ImportStatus[];
  /** How many one process works on at once. */
  slots: number;
  /** Whether work makes room for accounts that used less. */
  makesRoom: boolean;
  work(server: ServerContext, held: Held, options: { signal: AbortSignal }): Promise<void>;
  /** Ends what broke off too often. */
  giveUp(server: ServerContext, held: Held, message: string): Promise<void>;
}

/** The work on one import. It is ousted for somebody who used less. */
interface Work {
  held: Held;
  ousting: AbortController;
}

/** Works on imports. A job only wakes it: what there is to do is known by the status of imports. */
export function workOnImports(server: ServerContext): GroupWork {
  const stopping = new AbortController();
  // Commits do not wait for detections.
  const benches = [
    new Bench(server, stopping.signal, {
      statuses: ["queued", "detecting"],
      // Most of them wait for downloads, or for a slice of the processor.
      slots: 6,
      makesRoom: true,
      work: detectImport,
      giveUp: failImport,
    }),
    new Bench(server, stopping.signal, {
      statuses: ["committing"],
      slots: 2,
      makesRoom: false,
      work: commitItems,
      giveUp: failItems,
    }),
  ];
  const wake = async () => {
    for (const bench of benches) bench.wake();
  };
  const idle = async () => void (await Promise.all(benches.map((bench) => bench.idle())));
  // Where no temporary file can be written, imports fail, and nothing else does.
  const tidy = () =>
    deleteOldFolders().catch((error: unknown) => server.failures.report(error, { operation: "import" }));
  const isFirst = tidy();
  return {
    tasks: { work_on_imports: wake },
    async everyMinute() {
      await expireImports(server.sql);
      await tidy();
    },
    // After a crash, jobs stay locked for hours. Leases end sooner.
    async sweep() {
      await requeueLost(server.sql);
      await wake();
    },
    idle,
    async stop() {
      stopping.abort();
      await isFirst;
      await idle();
    },
  };
}

/** Works on some imports at once, as long as there are any. */
class Bench {
  readonly #server: ServerContext;
  readonly #signal: AbortSignal;
  readonly #craft: Craft;
  readonly #running = new Set<Promise<void>>();
  readonly #works = new Set<Work>();
  /** Whether something may have come since the last look. */
  #isWoken = false;

  constructor(server: ServerContext, signal: AbortSignal, craft: Craft) {
    this.#server = server;
    this.#signal = signal;
    this.#craft = craft;
  }

  wake(): void {
    this.#isWoken = true;
    const { slots, makesRoom } = this.#craft;
    // One more looks whether somebody waits who used less.
    if (this.#running.size >= slots + Number(makesRoom) || this.#signal.aborted) return;
    const run = this.#run()
      .catch((error: unknown) => this.#server.failures.report(error, { operation: "import" }))
      .finally(() => {
        this.#running.delete(run);
        // Something came after the last look.
        if (this.#isWoken) this.wake();
      });
    this.#running.add(run);
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#signal.aborted) {
      this.#isWoken = false;
      const { statuses } = this.#craft;
      const belowMs = this.#belowMs();
      if (belowMs !== null && belowMs <= 0) return;
      const held = await takeImport(this.#server.sql, { statuses, token: randomUUID(), belowMs });
      if (held === null) continue;
      if (belowMs !== null) this.#mostUsed()?.ousting.abort();
      // There may be more, for others too.
      this.wake();
      await this.#workUnderLease(held);
      // The next one of its account had to wait for it.
      this.#isWoken = true;
    }
  }

  /** Who comes now must have used less than this, since all slots are taken; null if there is a free one. */
  #belowMs(): number | null {
    if (this.#works.size < this.#craft.slots) return null;
    return (this.#mostUsed()?.held.usedMs ?? 0) - marginMs;
  }

  #mostUsed(): Work | undefined {
    const staying = [...this.#works].filter(({ ousting }) => !ousting.signal.aborted);
    return staying.sort((a, b) => b.held.usedMs - a.held.usedMs)[0];
  }

  async #workUnderLease(held: Held): Promise<void> {
    const { sql } = this.#server;
    const lost = new AbortController();
    const work = { held, ousting: new AbortController() };
    this.#works.add(work);
    const renewing = setInterval(() => {
      renewLease(sql, held).then(
        (isHeld) => isHeld || lost.abort(),
        // The lease outlasts a short outage of the database.
        () => {},
      );
    }, renewMs);
    try {
      const signal = AbortSignal.any([this.#signal, lost.signal, work.ousting.signal]);
      // The processes before were killed, perhaps by this import.
      if (held.attempts > maxAttempts)
        throw new Error(`work on ${held.id} began ${maxAttempts} times in vain`);
      await this.#craft.work(this.#server, held, { signal });
    } catch (error) {
      this.#server.failures.report(error, { operation: "import" });
      if (held.attempts >= maxAttempts) await this.#craft.giveUp(this.#server, held, brokeOff);
      else await releaseImport(sql, held, { pauseSeconds, isAttempt: true });
    } finally {
      clearInterval(renewing);
      this.#works.delete(work);
    }
    if (this.#signal.aborted || work.ousting.signal.aborted)
      await releaseImport(sql, held, { pauseSeconds: 0, isAttempt: false });
  }
}

const brokeOff = "Something went wrong on the server. Try it again later, and report it if it happens again.";
