import { setTimeout as delay } from "node:timers/promises";
import type { ServerProcess } from "../process.ts";
import { trace } from "./until.ts";

/** Attempts under way take ten seconds, and a drain goes on for twenty; whoever takes this long never ends. */
const patienceMs = 90_000;

/** Ends a process as its operator would, and says what is wrong with how it ended. */
export async function end(process: ServerProcess, who: string): Promise<string[]> {
  const impatience = new AbortController();
  const ending = await Promise.race([
    process.stop("SIGTERM"),
    delay(patienceMs, null, { signal: impatience.signal }),
  ]);
  impatience.abort();
  trace("the end of %s", who);
  if (ending === null) await process.stop("SIGKILL");
  if (ending?.code === 0) return [];
  const how = ending === null ? `did not end within ${patienceMs / 1_000} s` : `ended with ${ending.code}`;
  return [`${who} ${how}: ${process.output().slice(-500)}`];
}
