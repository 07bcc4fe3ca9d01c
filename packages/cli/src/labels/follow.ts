import { setTimeout as delay } from "node:timers/promises";
import { type ApiError, apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { LabelMove } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { Context } from "../settings/context.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { noteOutages } from "../requests/note-outages.ts";
import { cell } from "../terminal/text.ts";
import { movesOf } from "./moves.ts";

/** How long the registry is asked to wait for a move, and what its answer may take beyond that. */
const [waitS, graceMs] = [30, 15_000];
/** The pause where it does not wait, or cannot: an older registry, a removed label, an outage. */
const pauseMs = 2_000;

type Address = Pick<PromptAddress, "owner" | "slug"> & { name: string };

/** Shows the moves of a label as they come, until Ctrl-C. */
export async function followLabel(
  context: Context,
  { owner, slug }: PromptAddress,
  name: string,
): Promise<number> {
  const { connect, holdInterrupts, output } = context;
  const client = await connect();
  const address = { owner, slug, name };
  const [latest] = await movesOf(client, address, 1);
  if (latest === undefined)
    throw apiError("not_found", { message: `${owner}/${slug} has no label ${name}, and never had one.` });
  const signal = holdInterrupts();
  output.note(`${placeOf(owner, slug, latest)} Press Ctrl-C to stop.`);
  const onOutage = noteOutages(output);
  for await (const move of movesAfter(client, address, { latest, signal, onOutage }))
    output.line({ ref: `${owner}/${slug}`, ...move }, () => asText(move, context));
  return exitCodes.interrupted[0];
}

interface Following {
  latest: LabelMove;
  signal: AbortSignal;
  /** Is told once when the registry goes away, and once without an error when it is back. */
  onOutage: (error?: Error) => void;
}

/** Gives each move after a certain one, oldest first, as it comes. */
async function* movesAfter(
  client: Client,
  address: Address,
  { latest, signal, onOutage }: Following,
): AsyncGenerator<LabelMove, void, undefined> {
  let isAway = false;
  let etag: string | undefined;
  while (!signal.aborted) {
    const startedMs = performance.now();
    try {
      const next = await nextEtag(client, address, { etag, signal });
      // Also without a new ETag: a label can be moved away and back.
      const moves = await newerMoves(client, address, latest);
      if (isAway) onOutage();
      isAway = false;
      for (const move of moves) yield move;
      latest = moves.at(-1) ?? latest;
      const hasWaited = next !== undefined && (next !== etag || performance.now() - startedMs > pauseMs);
      etag = next;
      if (hasWaited) continue;
    } catch (error) {
      if (signal.aborted) return;
      if (exitCodeOf(error) !== exitCodes.unavailable[0]) throw error;
      if (!isAway) onOutage(error as Error);
      isAway = true;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until the version of a label changes, or for some time. Undefined if the label does not exist. */
async function nextEtag(
  client: Client,
  { owner, slug, name: label }: Address,
  { etag, signal }: { etag: string | undefined; signal: AbortSignal },
): Promise<string | undefined> {
  const timeoutMs = waitS * 1_000 + graceMs;
  const headers = { prefer: `wait=${waitS}`, ...(etag !== undefined && { "if-none-match": etag }) };
  const query = { label, view: "version" } as const;
  try {
    const asked = client.prompts.get(
      { owner, slug, query },
      { headers, signal, timeoutMs, deadlineMs: timeoutMs },
    );
    return (await asked.withResponse()).response.headers.get("etag") ?? undefined;
  } catch (error) {
    const { code } = error as Partial<ApiError>;
    if (code === "not_modified") return etag;
    if (code === "not_found") return undefined;
    throw error;
  }
}

/** The moves after a certain one, oldest first. */
async function newerMoves(client: Client, address: Address, latest: LabelMove): Promise<LabelMove[]> {
  const moves: LabelMove[] = [];
  for await (const move of client.prompts.labels.history({ ...address, query: { limit: 100 } })) {
    if (move.id === latest.id) break;
    moves.push(move);
  }
  return moves.reverse();
}

const placeOf = (owner: string, slug: string, { name, toVersionNumber: to }: LabelMove) =>
  `${name} of ${owner}/${slug} ${to === null ? "was removed." : `is at version ${to}.`}`;

function asText(
  { at, fromVersionNumber: from, toVersionNumber: to, actor, reason }: LabelMove,
  { output }: Context,
): string {
  const by = actor === null ? "" : `  by ${cell(actor.handle)}`;
  const why = reason === null ? "" : `: ${cell(reason)}`;
  const { bold, dim } = output.colors;
  return `${dim(at)}  ${bold(`${from ?? "none"} → ${to ?? "none"}`)}${by}${why}`;
}
