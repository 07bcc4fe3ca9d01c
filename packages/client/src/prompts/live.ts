import type { ListedChange, ListedChanges } from "@promptreg/core";
import type { Connection, exchange } from "../exchange.ts";
import type { CacheParts } from "./parts.ts";
import type { Target } from "./content.ts";
import type { Slot } from "./memory.ts";
import { ownerFor, requestOwned, type Sender } from "./owned.ts";

/** The longest wait that a registry grants. */
const longestWaitS = 30;
/** A proxy that cuts off a wait lets a shorter one through, perhaps. */
const shortestWaitS = 5;
/** A wait that fails after this time was cut off. */
const cutMs = 2_000;
/** How much later than its wait a response can come. */
const graceMs = 10_000;
/** How often it is looked whether anybody gets a prompt. Without one in this time, a wait ends: it keeps the process alive. */
const idleMs = 5_000;
/** The least time from one request to the next: a label can move a thousand times a second. */
const leastMs = 500;
/** The pauses after failures, doubled each time. */
const [firstPauseMs, longestPauseMs] = [1_000, 60_000];
/** Owners and labels that are followed at a time, each with a connection. */
const maxGroups = 10;

/** The addresses of an owner and a label, for which one request waits. */
interface Group {
  key: string;
  owner: string;
  label: string;
  /** How lists name the owner, once the registry has said whose the token is. */
  asked: Promise<string> | undefined;
  /** Whether somebody got a prompt since this was last looked at. */
  isUsed: boolean;
  /** When the last request began, and when it is lost, in milliseconds since 1970: runtimes drop what a request of theirs began. */
  startedAt: number;
  lostAt: number;
  ending: AbortController | undefined;
  /** Of what the registry lists, by address. */
  etags: Map<string, string>;
  etag: string | undefined;
  waitS: number;
  failures: number;
  resumesAt: number;
}

/**
 * Follows labels: one request for each owner and label waits until something changes. While it waits, what is in the cache is
 * fresh. Otherwise the cache works as without it.
 */
export class Live {
  readonly #cache: CacheParts;
  readonly #sender: Sender;
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new WeakMap<Target, Group>();
  #isClosed = false;

  /** @param exchange passed in, not imported: an import here would move it out of the bundle's first chunk. */
  constructor(cache: CacheParts, connection: Connection, send: typeof exchange) {
    this.#cache = cache;
    this.#sender = { connection: { ...connection, retries: 0 }, exchange: send };
  }

  /** Notes that a prompt is in use, and begins to follow its label. */
  use(target: Target): void {
    const group = this.#groupOf.get(target) ?? this.#openGroup(target);
    if (group === undefined) return;
    group.isUsed = true;
    if (group.ending !== undefined && Date.now() < group.lostAt) return;
    if (Date.now() >= group.resumesAt && !this.#isClosed) void this.#follow(group);
  }

  /** Ends all requests for good. */
  close(): void {
    this.#isClosed = true;
    for (const { ending } of this.#groups.values()) ending?.abort();
  }

  #openGroup(target: Target): Group | undefined {
    const { owner, label, version } = target;
    if (version !== undefined) return undefined;
    const key = `${owner}/*@${label ?? "latest"}`;
    const group = this.#groups.get(key) ?? this.#newGroup(key, owner, label ?? "latest");
    if (group) this.#groupOf.set(target, group);
    return group;
  }

  #newGroup(key: string, owner: string, label: string): Group | undefined {
    if (this.#groups.size >= maxGroups) return undefined;
    const begun = {
      isUsed: false,
      startedAt: 0,
      lostAt: 0,
      failures: 0,
      resumesAt: 0,
      etags: new Map(),
      waitS: longestWaitS,
    };
    const group: Group = {
      key,
      owner,
      label,
      asked: undefined,
      ending: undefined,
      etag: undefined,
      ...begun,
    };
    this.#groups.set(key, group);
    return group;
  }

  /** Waits for changes again and again, as long as somebody gets prompts. */
  async #follow(group: Group): Promise<void> {
    group.ending?.abort();
    const ending = new AbortController();
    group.ending = ending;
    const looking = setInterval(() => {
      if (!group.isUsed) ending.abort();
      group.isUsed = false;
    }, idleMs);
    // It does not keep a process of Node alive. Browsers and workers have nothing of that kind.
    (looking as { unref?: () => void }).unref?.();
    try {
      while (!ending.signal.aborted) {
        const startedMs = performance.now();
        await this.#wait(group, ending.signal);
        const leftMs = leastMs - (performance.now() - startedMs);
        if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
      }
      ending.signal.throwIfAborted();
    } catch (error) {
      if (group.ending === ending) this.#end(group);
      if (!ending.signal.aborted) this.#pause(group, error as Error);
    } finally {
      clearInterval(looking);
    }
  }

  /** Sends one request, and takes over what it says. */
  async #wait(group: Group, signal: AbortSignal): Promise<void> {
    const { etag, waitS } = group;
    const timeoutMs = waitS * 1_000 + graceMs;
    group.startedAt = Date.now();
    group.lostAt = group.startedAt + timeoutMs + graceMs;
    group.asked ??= ownerFor(this.#sender, group.owner);
    const asked = await group.asked;
    const { data, response } = await requestOwned(
      this.#sender,
      { owner: asked, label: group.label },
      {
        view: "changes",
        headers: { prefer: `wait=${waitS}`, ...(etag !== undefined && { "if-none-match": etag }) },
        signal,
        timeoutMs,
        deadlineMs: timeoutMs,
      },
    );
    signal.throwIfAborted();
    if (response.status === 304 && !response.headers.has("preference-applied"))
      throw new Error("The registry, or a proxy, does not wait.");
    const before = group.etags;
    if (response.status !== 304) {
      group.etags = etagsIn(data, before);
      group.etag = response.headers.get("etag") ?? undefined;
    }
    group.failures = 0;
    for (const slot of this.#slotsOf(group)) {
      const { ref, etag } = slot.entry;
      const listed = group.etags.get(ref);
      if (listed !== undefined && listed === etag?.replace(/^W\//, "")) this.#confirm(slot, timeoutMs);
      // The next wait goes on meanwhile.
      else if (listed !== undefined || before.has(ref)) void this.#cache.request(slot.target);
    }
  }

  /** Says that the registry has just confirmed an entry, which stays fresh while the next request waits. */
  #confirm({ target, entry, usedAt }: Slot, freshMs: number): void {
    const now = Date.now();
    const slot = this.#cache.memory.put(target, { ...entry, confirmedAt: now }, now + freshMs);
    // Nobody has used it.
    slot.usedAt = usedAt;
  }

  /** Without a wait, an entry is fresh as long as it would be otherwise. */
  #end(group: Group): void {
    group.ending = undefined;
    for (const slot of this.#slotsOf(group)) slot.freshUntil = slot.entry.confirmedAt + this.#cache.ttlMs;
  }

  #pause(group: Group, error: Error): void {
    const { code, retryAfterMs = 0 } = error as { code?: unknown; retryAfterMs?: number };
    if (group.failures === 0) this.#cache.notify({ type: "polling", ref: group.key, error });
    group.failures += 1;
    // An older registry refuses what it does not know. So does one whose owner has too many prompts.
    const doublings = code === "validation_failed" ? Infinity : group.failures - 1;
    const ownMs = Math.min(firstPauseMs * 2 ** doublings, longestPauseMs);
    group.resumesAt = Date.now() + Math.max(ownMs * (0.5 + Math.random() / 2), retryAfterMs);
    // Once may be a restart of the registry. Again is a proxy that cuts off long waits. An outage refuses at once.
    const isCut = Date.now() - group.startedAt > cutMs;
    if (isCut && group.failures > 1) group.waitS = Math.max(shortestWaitS, Math.floor(group.waitS / 2));
    group.asked = undefined;
    // The next get asks, and hears why.
    if (code === "invalid_token") for (const slot of this.#slotsOf(group)) slot.freshUntil = 0;
  }

  #slotsOf({ owner, label }: Group): Slot[] {
    return this.#cache.memory
      .values()
      .filter(
        ({ target }) =>
          target.version === undefined && target.owner === owner && (target.label ?? "latest") === label,
      );
  }
}

/** What is listed after a response, by address. */
function etagsIn(data: unknown, before: ReadonlyMap<string, string>): Map<string, string> {
  const { items, isWhole } = (data ?? {}) as Partial<ListedChanges>;
  if (!Array.isArray(items)) throw new Error("The response is no list of changes.");
  const etags = new Map(isWhole === true ? [] : before);
  for (const { ref, etag } of items as Partial<ListedChange>[]) {
    if (typeof ref !== "string") continue;
    if (typeof etag === "string") etags.set(ref, etag);
    else etags.delete(ref);
  }
  return etags;
}
