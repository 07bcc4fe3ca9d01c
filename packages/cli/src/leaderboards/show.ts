import type { Board, BoardItem, BoardWindow, PromptKind } from "@promptreg/client";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { cell, scoreOf } from "../terminal/text.ts";

interface Options {
  window?: BoardWindow;
  kind?: PromptKind;
  tag?: string;
  limit: number;
}

/** How other commands name it. */
function nameOf({ entity }: BoardItem): string {
  if ("prompt" in entity) return entity.prompt.ref;
  if ("ref" in entity) return entity.ref;
  return "maker" in entity ? `make:${entity.slug}` : entity.handle;
}

export async function showLeaderboard(
  { connect, output }: Context,
  board: Board,
  { window, kind, tag, limit }: Options,
): Promise<void> {
  const query = { window, kind, tag, limit: Math.min(limit, 100) };
  const { items, hasMore } = await take((await connect()).leaderboards.get({ board, query }), limit);
  output.result({ items, hasMore }, () =>
    output.table(
      ["rank", "before", "name", "score"],
      items.map((item) => [
        String(item.rank),
        item.previousRank === null ? "" : String(item.previousRank),
        output.colors.bold(cell(nameOf(item))),
        scoreOf(item.score),
      ]),
      ["name"],
    ),
  );
  if (output.isJson) return;
  if (items.length === 0) output.note("Nothing is on this board.");
  output.more(hasMore);
}
