import type { Freeze } from "./freeze.ts";
import type { Log, LoggedDelivery, LoggedEvent } from "./log.ts";
import type { Arrival, Receivers } from "./receivers.ts";
import type { Subscriber, World } from "./world.ts";

/** Fifteen failures in a row disable a webhook. */
const failuresToDisable = 15;
/** An attempt that was under way when its webhook was disabled is over after this. */
const attemptMs = 10_000;

/** All that the proof has seen. */
export interface Evidence {
  log: Log;
  world: World;
  receivers: Receivers;
  /** The reasons of the moves that were answered with 2xx. */
  acknowledged: ReadonlySet<string>;
  /** When webhooks were first seen disabled. */
  disabledAt: ReadonlyMap<string, number>;
  freezes: readonly Freeze[];
}

/** What the receivers saw beside what the log says. */
export interface Comparison {
  problems: string[];
  /** Requests that no attempt in the log stands for: repeated because somebody was killed before it was recorded. */
  unrecorded: Arrival[];
  /** How often the delivery that was repeated most was repeated. */
  mostRepeated: number;
}

export function compare(evidence: Evidence): Comparison {
  const { log, world, receivers } = evidence;
  const byDelivery = Map.groupBy(receivers.arrivals, ({ deliveryId }) => deliveryId);
  const problems = [...receivers.problems, ...outbox(evidence)];
  const unrecorded: Arrival[] = [];
  let mostRepeated = 0;
  for (const delivery of log.deliveries) {
    const arrivals = byDelivery.get(delivery.id) ?? [];
    byDelivery.delete(delivery.id);
    const matched = match(delivery, arrivals, evidence.freezes);
    problems.push(...matched.problems);
    unrecorded.push(...matched.unrecorded);
    mostRepeated = Math.max(mostRepeated, matched.unrecorded.length);
  }
  for (const id of byDelivery.keys()) problems.push(`${id} arrived, and no log knows it`);
  for (const subscriber of world.subscribers) {
    problems.push(...(subscriber.isDoomed ? doom(subscriber, evidence) : completeness(subscriber, evidence)));
  }
  return { problems, unrecorded, mostRepeated };
}

/** Nothing that was answered with 2xx is lost, and what arrived are the bytes of the outbox. */
function* outbox({ log, acknowledged, receivers }: Evidence): Generator<string> {
  const reasons = new Set(log.events.map(({ reason }) => reason));
  for (const reason of acknowledged)
    if (!reasons.has(reason)) yield `"${reason}" was acknowledged and made no event`;
  for (const { id, body, isFannedOut } of log.events) {
    if (!isFannedOut) yield `${id} was never fanned out`;
    if (receivers.bodies.get(id)?.equals(body) === false)
      yield `${id} arrived with other bytes than it was written with`;
  }
}

/** Whether the attempts in the log are, in their order, some of the requests that arrived; which ones are not. */
function match(delivery: LoggedDelivery, arrivals: readonly Arrival[], freezes: readonly Freeze[]) {
  const { id, attempts, attemptLog, status, webhookId } = delivery;
  const problems: string[] = [];
  const unrecorded: Arrival[] = [];
  let next = 0;
  for (const { responseStatus, error } of attemptLog) {
    while (next < arrivals.length && !fits(arrivals[next] as Arrival, responseStatus, freezes)) {
      unrecorded.push(arrivals[next++] as Arrival);
    }
    if (next === arrivals.length)
      problems.push(`${id} logs an attempt (${error ?? responseStatus}) nobody saw`);
    next += 1;
  }
  unrecorded.push(...arrivals.slice(next));
  if (attempts !== attemptLog.length)
    problems.push(`${id} counts ${attempts} attempts and logs ${attemptLog.length}`);
  if (attempts > arrivals.length)
    problems.push(`${id} arrived ${arrivals.length} times in ${attempts} attempts`);
  if (arrivals.some((arrival) => arrival.webhookId !== webhookId))
    problems.push(`${id} came to another's endpoint`);
  const last = attemptLog.at(-1)?.responseStatus ?? 0;
  if (status === "succeeded" && (last < 200 || last > 299)) problems.push(`${id} succeeded with ${last}`);
  if (status === "succeeded" && attemptLog.filter(isSuccess).length !== 1)
    problems.push(`${id} succeeded twice`);
  return { problems, unrecorded };
}

const isSuccess = ({ responseStatus }: { responseStatus: number | null }) =>
  responseStatus !== null && responseStatus >= 200 && responseStatus <= 299;

/** Who was frozen when the answer came may have run out of time for it. */
const fits = ({ status, at, endedAt }: Arrival, logged: number | null, freezes: readonly Freeze[]) =>
  status === logged || (logged === null && freezes.some(({ from, to }) => at < to && endedAt > from));

/** Whoever never fails for good gets every event at least once, in one delivery that ends well. */
function* completeness(
  { name, webhookId, slugs }: Subscriber,
  { log, receivers }: Evidence,
): Generator<string> {
  const own = log.deliveries.filter((one) => one.webhookId === webhookId && one.redeliveryOf === null);
  const byEvent = Map.groupBy(own, ({ eventId }) => eventId);
  const accepted = new Set(
    receivers.arrivals
      .filter(
        (one) =>
          one.webhookId === webhookId &&
          one.status !== null &&
          isSuccess({ responseStatus: one.status ?? null }),
      )
      .map(({ eventId }) => eventId),
  );
  const isMeant = ({ slug }: LoggedEvent) => slugs === null || slugs.includes(slug);
  for (const { id } of log.events.filter(isMeant)) {
    const deliveries = byEvent.get(id) ?? [];
    byEvent.delete(id);
    if (deliveries.length !== 1) yield `"${name}" has ${deliveries.length} deliveries of ${id}`;
    else if (deliveries[0]?.status !== "succeeded") yield `"${name}" has ${id} as ${deliveries[0]?.status}`;
    if (!accepted.has(id)) yield `"${name}" never accepted ${id}`;
  }
  for (const id of byEvent.keys()) yield `"${name}" was sent ${id}, which is not for it`;
  const webhook = log.webhooks.get(webhookId);
  if (webhook?.disabledReason !== null) yield `"${name}" was disabled`;
  if (webhook?.failures !== 0)
    yield `"${name}" has ${webhook?.failures} failures in a row after its last success`;
}

/** Whoever fails for good is disabled once, by the fifteenth failure and no other, and left alone after that. */
function* doom({ name, webhookId }: Subscriber, { log, receivers, disabledAt }: Evidence): Generator<string> {
  const webhook = log.webhooks.get(webhookId);
  if (webhook?.disabledReason !== "failures") yield `"${name}" was not disabled`;
  if (webhook?.failures !== failuresToDisable) yield `"${name}" has ${webhook?.failures} counted failures`;
  if (webhook?.epoch !== 1) yield `"${name}" was disabled ${webhook?.epoch} times`;
  const since = disabledAt.get(webhookId) ?? Number.POSITIVE_INFINITY;
  const late = receivers.arrivals.filter((one) => one.webhookId === webhookId && one.at > since + attemptMs);
  if (late.length > 0) yield `"${name}" was sent ${late.length} requests after it was disabled`;
}
