import { readWait } from "@promptreg/core/wire";
import type { Context } from "hono";
import { outgoingOf, whenClosed } from "../http/closed.ts";
import { headerOf } from "../http/header.ts";
import type { Input } from "../targets/load.ts";
import type { Mounted } from "../mounted.ts";
import type { Outcome, Serving } from "./serving.ts";

/** What part of its time a wait may lack, so that those which one change ended do not all end again together. */
const earliness = 0.3;

/**
 * Reads, and waits if a caller with the same already asks for that: until it reads something else, or the time is over. It reads
 * whenever the bus announces what the reply names, with all permission asked anew, and counts as one request.
 */
export async function readOrWait(
  { operation }: Mounted,
  c: Context,
  { input, serving, read }: { input: Input; serving: Serving; read: (input: Input) => Promise<Outcome> },
): Promise<Outcome> {
  const seconds = operation.canWait && input.ifNoneMatch.length > 0 ? readWait(headerOf(c, "prefer")) : 0;
  if (seconds === 0) return read(input);
  const { waits, readiness } = serving.server;
  const endsAt = performance.now() + 1_000 * seconds * (1 - earliness * Math.random());
  let since = waits.sequence;
  const waiting = { ...input, isWaiting: true };
  let outcome = await read(waiting);
  const { names } = outcome.reply;
  if (names === undefined) return outcome;
  const { caller } = outcome;
  if (serving.access) serving.access.hasWaited = true;
  serving.meter?.add("wait", { account: caller?.id, target: undefined });
  const signal = whenClosed(c);
  const all = caller ? [...names, caller.id] : names;
  while (outcome.reply.status === 304) {
    const ms = Math.max(0, endsAt - performance.now());
    if (!(await waits.until({ names: all, since, ms, signal }))) break;
    since = waits.sequence;
    outcome = await read(waiting);
  }
  if (readiness.isStopping) endConnection(c);
  return { ...outcome, waitSeconds: seconds };
}

/** So that its client comes again elsewhere. */
function endConnection(c: Context): void {
  const outgoing = outgoingOf(c);
  if (outgoing) outgoing.shouldKeepAlive = false;
}
