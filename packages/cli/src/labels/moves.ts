import type { LabelMove } from "@promptreg/client";
import type { Client } from "../requests/client.ts";

/** Gets the moves of a label, newest first, and no more of them than are wanted. */
export async function movesOf(
  client: Client,
  { owner, slug, name }: { owner: string; slug: string; name: string },
  limit: number,
): Promise<LabelMove[]> {
  const moves: LabelMove[] = [];
  const query = { limit: Math.min(limit, 100) };
  for await (const move of client.prompts.labels.history({ owner, slug, name, query })) {
    moves.push(move);
    if (moves.length === limit) break;
  }
  return moves;
}
