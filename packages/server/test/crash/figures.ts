import type { Comparison, Evidence } from "./compare.ts";
import type { Arrival } from "./receivers.ts";
import type { Kill, Storm } from "./storm.ts";

/** A table of names and numbers, for people. */
export type Figures = Record<string, string | number>;

interface Told extends Evidence, Comparison {
  storm: Storm;
  restarts: readonly string[];
  refused: number;
  disabling: string;
}

export function figuresOf(told: Told): Figures {
  const { log, world, receivers, storm, unrecorded, freezes } = told;
  const attempts = log.deliveries.reduce((sum, { attempts }) => sum + attempts, 0);
  const statuses = Map.groupBy(log.deliveries, ({ status }) => status);
  const recoveries = recoveriesMs(storm.kills, receivers.arrivals);
  return {
    events: log.events.length,
    "moves that were not acknowledged": told.refused,
    webhooks: world.subscribers.length,
    deliveries: log.deliveries.length,
    ...Object.fromEntries([...statuses].map(([status, { length }]) => [`  ${status}`, length])),
    attempts,
    arrivals: receivers.arrivals.length,
    "arrivals without an attempt": unrecorded.length,
    "  of them answered with 2xx": unrecorded.filter(({ status }) => status !== null && status === 200)
      .length,
    "  of them cut off by the sender": unrecorded.filter(({ wasCut }) => wasCut).length,
    "  most of one delivery": told.mostRepeated,
    kills: storm.kills.length,
    ...phases(storm.kills, unrecorded),
    restarts: told.restarts.join(", "),
    "taken over from a frozen worker": freezes.map(({ takeOverMs }) => seconds(takeOverMs)).join(", "),
    "recovery after a kill": `${seconds(quantile(recoveries, 0.5))} median, ${seconds(quantile(recoveries, 0.95))} p95`,
    "jobs left over": log.jobs,
    disabling: told.disabling,
    ...Object.fromEntries([...storm.complaints].map(([message, count]) => [`"${message}"`, count])),
  };
}

/** What the workers were at when they were killed, as far as it shows; many were at several things. */
function phases(kills: readonly Kill[], unrecorded: readonly Arrival[]): Figures {
  const counts = {
    "  before it was ready": 0,
    "  fanning out": 0,
    "  sending": 0,
    "  between answer and record": 0,
  };
  let last = 0;
  for (const { at, wasStarting, wasFanningOut } of kills.toSorted((a, b) => a.at - b.at)) {
    const lost = unrecorded.filter((arrival) => arrival.at > last && arrival.at <= at);
    if (wasStarting) counts["  before it was ready"] += 1;
    if (wasFanningOut) counts["  fanning out"] += 1;
    if (lost.some(({ wasCut }) => wasCut)) counts["  sending"] += 1;
    if (lost.some(({ wasCut }) => !wasCut)) counts["  between answer and record"] += 1;
    last = at;
  }
  return counts;
}

/** From the start of each worker that took the place of a killed one to the next request. */
function recoveriesMs(kills: readonly Kill[], arrivals: readonly Arrival[]): number[] {
  const first = kills[0]?.at ?? 0;
  const starts = kills.map(({ startedAt }) => startedAt).filter((at) => at > first);
  return starts
    .map((start) => (arrivals.find(({ at }) => at > start)?.at ?? Number.NaN) - start)
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
