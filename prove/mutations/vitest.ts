import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Tests } from "./related.ts";
import type { Asked, Said } from "./tests.ts";

export type Outcome = "caught" | "hung" | "survived";

/** After so long without the end of any test, tests hang. */
const patienceMs = 60_000;

/** Fail without a change, so that they would catch everything. */
export const broken = new Set<string>();

/** Writes the change into the copy, and takes it back. */
interface Edit {
  change: () => void;
  restore: () => void;
}

/** The tests of one copy of the checkout. */
export class Vitest {
  readonly #copy: string;
  #process: ChildProcess | undefined;

  constructor(copy: string) {
    this.#copy = copy;
    process.on("exit", () => this.#end("SIGTERM"));
  }

  /** Runs the related tests over the copy with a change, up to the first that fails. */
  async outcomeOf(changed: string, steps: readonly Tests[], edit: Edit): Promise<Outcome> {
    for (const step of steps) {
      const outcome = await this.#try({ ...step, changed }, edit);
      if (outcome !== "survived") return outcome;
    }
    return "survived";
  }

  /** What fails with the change has to pass without it; if it does not, an earlier change may have broken this process. */
  async #try(asked: Asked, { change, restore }: Edit): Promise<Outcome> {
    let failed: string[] = [];
    for (const _ of ["this process", "a fresh one"]) {
      const files = asked.files.filter((file) => !broken.has(file));
      if (files.length === 0) return "survived";
      change();
      const result = await this.#run({ ...asked, files });
      restore();
      if (result === "hung") return "hung";
      if (result.length === 0) return "survived";
      const without = await this.#run({ ...asked, files: result });
      if (without.length === 0) return "caught";
      failed = without === "hung" ? result : without;
      this.#end("SIGKILL");
    }
    for (const file of failed) broken.add(file);
    return "survived";
  }

  /** The files that failed. */
  async #run(asked: Asked): Promise<string[] | "hung"> {
    const running = (this.#process ??= await this.#start());
    return new Promise((resolve) => {
      const giveUp = () => {
        running.removeAllListeners();
        this.#end("SIGKILL");
        resolve("hung");
      };
      let timer = setTimeout(giveUp, patienceMs);
      running.on("message", (said: Said) => {
        clearTimeout(timer);
        if (typeof said === "string") {
          timer = setTimeout(giveUp, patienceMs);
          return;
        }
        running.removeAllListeners();
        resolve(said.failed);
      });
      // A change may end the whole process.
      running.once("exit", () => {
        clearTimeout(timer);
        giveUp();
      });
      running.send(asked);
    });
  }

  async #start(): Promise<ChildProcess> {
    const program = join(import.meta.dirname, "tests.ts");
    // A group of its own, so that what it starts ends with it.
    const started = fork(program, [this.#copy], {
      cwd: this.#copy,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      detached: true,
    });
    await once(started, "message");
    return started;
  }

  /** Ends the tests that run, with all that they have started. */
  #end(signal: NodeJS.Signals): void {
    try {
      if (this.#process?.pid !== undefined) process.kill(-this.#process.pid, signal);
    } catch {
      // They have ended meanwhile.
    }
    this.#process = undefined;
  }
}
