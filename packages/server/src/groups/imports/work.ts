import { randomUUID } from "node:crypto";
import type { ImportStatus } from "@promptreg/core";
import type { GroupWork } from "../../kernel/group.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { commitItems, failItems } from "./commit/commit-items.ts";
import { detectImport, failImport } from "./detection/detect.ts";
import { expireImports } from "./expire.sql.ts";
import { deleteOldFolders } from "./folders.ts";
import { type Held, releaseImport, renewLease, renewMs, takeImport } from "./work.sql.ts";

/** After so many attempts that broke off, an import has failed. */
const maxAttempts = 3;
const pauseSeconds = 10;

/** A kind of work, and the imports that need it. */
interface Craft {
  statuses: readonly ImportStatus[];
  /** How many one process works on at once. */
  slots: number;
  work(server: ServerContext, held: Held, options: { signal: AbortSignal }): Promise<void>;
  /** Ends what broke off too often. */
  giveUp(server: ServerContext, held: Held, message: string): Promise<void>;
}

/** Works on imports. A job only wakes it: what there is to do is known by the status of imports. */
export function workOnImports(server: ServerContext): GroupWork {
  const stopping = new AbortController();
  // Commits do not wait for detections.
  const benches = [
    new Bench(server, stopping.signal, {
      statuses: ["queued", "detecting"],
      // Most of them wait for downloads, or for their turn to run.
      slots: 6,
      work: detectImport,
      giveUp: failImport,
    }),
    new Bench(server, stopping.signal, {
      statuses: ["committing"],
      slots: 2,
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
    deleteOldFolders().catch((error: unknown) => server.failures.tell(error, { operation: "import" }));
  const isFirst = tidy();
  return {
    tasks: { work_on_imports: wake },
    async everyMinute() {
      await expireImports(server.sql);
      await tidy();
    },
    // After a crash, jobs stay locked for hours. Leases end sooner.
    sweep: wake,
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
  /** Whether something may have come since the last look. */
  #isWoken = false;

  constructor(server: ServerContext, signal: AbortSignal, craft: Craft) {
    this.#server = server;
    this.#signal = signal;
    this.#craft = craft;
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#running.size >= this.#craft.slots || this.#signal.aborted) return;
    const run = this.#run()
      .catch((error: unknown) => this.#server.failures.tell(error, { operation: "import" }))
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
      const held = await takeImport(this.#server.sql, { statuses, token: randomUUID() });
      if (held === null) continue;
      // There may be more, for others too.
      this.wake();
      await this.#workUnderLease(held);
      // The next one of its account had to wait for it.
      this.#isWoken = true;
    }
  }

  async #workUnderLease(held: Held): Promise<void> {
    const { sql } = this.#server;
    const lost = new AbortController();
    const renewing = setInterval(() => {
      renewLease(sql, held).then(
        (isHeld) => isHeld || lost.abort(),
        // The lease outlasts a short outage of the database.
        () => {},
      );
    }, renewMs);
    try {
      const signal = AbortSignal.any([this.#signal, lost.signal]);
      // The processes before were killed, perhaps by this import.
      if (held.attempts > maxAttempts)
        throw new Error(`work on ${held.id} began ${maxAttempts} times in vain`);
      await this.#craft.work(this.#server, held, { signal });
    } catch (error) {
      this.#server.failures.tell(error, { operation: "import" });
      if (held.attempts >= maxAttempts) await this.#craft.giveUp(this.#server, held, brokeOff);
      else await releaseImport(sql, held, { pauseSeconds, isAttempt: true });
    } finally {
      clearInterval(renewing);
    }
    if (this.#signal.aborted) await releaseImport(sql, held, { pauseSeconds: 0, isAttempt: false });
  }
}

const brokeOff = "Something went wrong on the server. Try it again later, and report it if it happens again.";
