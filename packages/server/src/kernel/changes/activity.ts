import type { Sql } from "../../database/sql.ts";
import { type ActKind, insertActs, selectDay } from "./activity.sql.ts";
import type { Failures } from "../failures/failures.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import { owns } from "../accounts/ownership.ts";

/** An act of a viewer that counts once a day. */
export interface NewAct {
  act: ActKind;
  prompt: { id: string; ownerId: string };
  caller: { id: string } | null;
  /** The address of the caller, as limits count it. It names a viewer without an account. */
  network: string;
  /** The format of a download, the target of an opening. */
  detail: string;
}

/** Counts what viewers do. */
export interface Activity {
  /**
   * Notes an act, unless it is the owner's. It is counted within seconds, once for a viewer and a day. The caller does not wait for
   * the database.
   */
  note(act: NewAct): void;
  /** Counts what is noted. For tests, and when the process stops. */
  flush(): Promise<void>;
  /** Counts what is noted, for the last time. */
  stop(): Promise<void>;
}

const flushMs = 1_000;
/** Acts that wait in memory, while the database is away. More are lost, and the log says how many. */
const waitingAtMost = 10_000;

/** An act that waits. */
interface Noted {
  act: ActKind;
  promptId: string;
  viewer: string;
  detail: string;
}

/** Opens the counting of activity in a process. */
export function openActivity({
  sql,
  secrets,
  failures,
}: {
  sql: Sql;
  secrets: Pick<SecretBox, "viewers">;
  failures: Failures;
}): Activity {
  const waiting = new Map<string, Noted>();
  let lost = 0;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const keep = (key: string, noted: Noted) => {
    if (waiting.has(key)) return;
    if (waiting.size < waitingAtMost) waiting.set(key, noted);
    else lost += 1;
    timer ??= setTimeout(() => void flush(), flushMs).unref();
  };

  function note({ act, prompt, caller, network, detail }: NewAct): void {
    if (owns(caller, prompt)) return;
    const viewer = caller?.id ?? network;
    keep(`${act} ${prompt.id} ${viewer}`, { act, promptId: prompt.id, viewer, detail });
  }

  /** One at a time: what is noted meanwhile is counted by the next. */
  function flush(): Promise<void> {
    running ??= write().finally(() => (running = null));
    return running;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...waiting];
    if (taken.length === 0) return;
    waiting.clear();
    try {
      const day = await selectDay(sql);
      const viewerOf = (viewer: string) => secrets.viewers.digest(`${day} ${viewer}`).subarray(0, 16);
      await insertActs(
        sql,
        day,
        taken.map(([, { viewer, ...noted }]) => ({ ...noted, viewer: viewerOf(viewer) })),
      );
    } catch (error) {
      for (const [key, noted] of taken) keep(key, noted);
      failures.report(error, { operation: "activity" });
    }
    if (lost > 0) failures.report(new Error(`${lost} acts were not counted`), { operation: "activity" });
    lost = 0;
  }

  return {
    note,
    flush,
    async stop() {
      // The running one may have begun before the last note.
      await running;
      await flush();
      clearTimeout(timer);
      if (waiting.size === 0) return;
      failures.report(new Error(`${waiting.size} acts were not counted`), { operation: "activity" });
    },
  };
}
