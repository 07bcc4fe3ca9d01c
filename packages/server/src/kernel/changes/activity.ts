import { randomBytes, createHmac } from "node:crypto";
import { createIsbotFromList, list as botPatterns } from "isbot";
import { LRUCache } from "lru-cache";
import type { Sql } from "../../database/sql.ts";
import { type Act, insertActs, type Noted, selectSalt } from "./activity.sql.ts";
import type { Failures } from "../failures/failures.ts";
import { owns } from "../accounts/ownership.ts";

/** What a request does to a thing of somebody, as `docs/analytics.md` counts it. */
export interface Traffic {
  act: Act;
  /** A prompt, a make, or a file of a make. */
  subject: { id: string; ownerId: string };
  versionId?: string | null;
  /** Of a download. */
  format?: string;
  /** The tool of an install or an opening. */
  target?: string;
  /** On a page of many: who refers to that refers to none of them. */
  isListed?: boolean;
}

/** Who sent a request. */
export interface Visitor {
  caller: { id: string } | null;
  /** The address of the client, as limits count it. It names a viewer without an account. */
  network: string;
  userAgent: string | undefined;
  /** The header `Referer`. */
  referrer: string | undefined;
}

/** Counts what viewers do. */
export interface Activity {
  /** Notes something, unless the owner or a bot does it. It is counted within seconds. The caller does not wait for the database. */
  note(traffic: Traffic, visitor: Visitor): void;
  /** Counts what is noted. For tests, and when the process stops. */
  flush(): Promise<void>;
  /** Counts what is noted, for the last time. */
  stop(): Promise<void>;
}

const flushMs = 1_000;
/** What waits in memory, while the database is away. More is lost, and the log says how much. */
const waitingAtMost = 10_000;

/** Opens the counting of activity in a process. */
export function openActivity({ sql, failures }: { sql: Sql; failures: Pick<Failures, "report"> }): Activity {
  const waiting = new Map<string, Noted>();
  let lost = 0;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  function keep(noted: Noted): void {
    const { times, ...about } = noted;
    const key = Object.values(about).join(" ");
    const before = waiting.get(key);
    if (before !== undefined) before.times += times;
    else if (waiting.size < waitingAtMost) waiting.set(key, noted);
    else lost += times;
    wait();
  }

  /** Counts in a second. A timer that has rung is none any more, also if what it called is still running. */
  function wait(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, flushMs).unref();
  }

  function note(traffic: Traffic, { caller, network, userAgent, referrer }: Visitor): void {
    const { act, subject, versionId = null, format = null, target = null, isListed = false } = traffic;
    if (owns(caller, subject) || (caller === null && isBot(userAgent))) return;
    keep({
      act,
      subjectId: subject.id,
      viewer: act === "rawRead" || act === "install" ? null : (caller?.id ?? network),
      versionId,
      format,
      target,
      referrer: referrer === undefined || isListed ? null : hostOf(referrer),
      times: 1,
    });
  }

  /** One at a time. One that runs has begun before what was noted last. */
  async function flush(): Promise<void> {
    await running;
    running ??= write().finally(() => {
      running = null;
      if (waiting.size > 0) wait();
    });
    await running;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...waiting.values()];
    if (taken.length === 0) return;
    waiting.clear();
    try {
      const { day, salt } = await selectSalt(sql, randomBytes(32));
      const hashed = (viewer: string) => createHmac("sha256", salt).update(viewer).digest("hex").slice(0, 32);
      const acts = taken.map((noted) => ({ ...noted, viewer: noted.viewer && hashed(noted.viewer) }));
      await insertActs(sql, day, acts);
    } catch (error) {
      for (const noted of taken) keep(noted);
      failures.report(error, { operation: "activity" });
    }
    if (lost > 0) failures.report(new Error(`${lost} acts were not counted`), { operation: "activity" });
    lost = 0;
  }

  return {
    note,
    flush,
    async stop() {
      await flush();
      clearTimeout(timer);
      if (waiting.size === 0) return;
      failures.report(new Error(`${waiting.size} acts were not counted`), { operation: "activity" });
    },
  };
}

/** How programs call themselves with which developers and applications read: these are no bots here. */
const programs = [
  "curl/8.5.0",
  "Wget/1.21.4",
  "HTTPie/3.2.1",
  "node",
  "node-fetch/3.3.2",
  "undici",
  "axios/1.7.2",
  "got (https://github.com/sindresorhus/got)",
  "Deno/2.1.4",
  "Bun/1.2.0",
  "python-requests/2.32.3",
  "python-httpx/0.27.0",
  "Python/3.12 aiohttp/3.9.5",
  "Python-urllib/3.12",
  "Go-http-client/1.1",
  "Java/21.0.2",
  "okhttp/4.12.0",
  "Ruby",
  "GuzzleHttp/7",
  "reqwest/0.12",
  "PostmanRuntime/7.39.0",
];
const isBotByName = createIsbotFromList(
  botPatterns.filter((pattern) => !programs.some((program) => new RegExp(pattern, "i").test(program))),
);
const judged = new LRUCache<string, boolean>({ max: 1_000 });
/** No browser and no bot calls itself by a longer name. */
const longestName = 512;

function isBot(userAgent = ""): boolean {
  const name = userAgent.slice(0, longestName);
  const known = judged.get(name);
  if (known !== undefined) return known;
  const judgement = isBotByName(name);
  judged.set(name, judgement);
  return judgement;
}

/** The host of an address of the web; null for anything else. `other` is what the rest of a day is called. */
function hostOf(referrer: string): string | null {
  const { protocol = "", hostname = "" } = URL.parse(referrer) ?? {};
  return ["http:", "https:"].includes(protocol) && hostname.length <= 253 && hostname !== "other"
    ? hostname
    : null;
}
