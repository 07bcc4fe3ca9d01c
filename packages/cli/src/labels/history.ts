import { cell } from "../terminal/text.ts";
import type { LabelMove } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { movesOf } from "./moves.ts";
import { fromNow } from "../terminal/moments.ts";

const nobody = "a deleted account";

export async function showHistory(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  name: string,
  { limit }: { limit: number },
): Promise<void> {
  const moves = await movesOf(await connect(), { owner, slug, name }, limit + 1);
  const items = moves.slice(0, limit);
  const hasMore = moves.length > limit;
  output.more(hasMore, "older moves");
  const rows = items.map((move) => [
    output.moment(move.at),
    `${move.fromVersionNumber ?? "none"} → ${move.toVersionNumber ?? "none"}`,
    cell(move.actor?.handle ?? nobody),
    cell(move.reason ?? ""),
  ]);
  output.result({ items, hasMore }, () => output.table(["when", "move", "by", "reason"], rows));
}

export async function blameLabel(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  name: string,
): Promise<void> {
  const [move] = await movesOf(await connect(), { owner, slug, name }, 1);
  output.result(move, () =>
    move === undefined ? "" : output.fields([[name, placeIn(move)], ...whoAndWhy(move)]),
  );
}

const placeIn = ({ toVersionNumber: to }: LabelMove) => (to === null ? "was removed" : `is at version ${to}`);

function whoAndWhy({ actor, token, at, reason, fromVersionNumber }: LabelMove): [string, string][] {
  const who =
    actor === null ? nobody : [actor.handle, actor.name && `(${actor.name})`].filter(Boolean).join(" ");
  return [
    ["by", cell(who)],
    // A server of an earlier release says nothing of it.
    ...(token ? [["token", cell(token)] satisfies [string, string]] : []),
    ["since", `${at}, ${fromNow(at)}`],
    ["reason", cell(reason ?? "none")],
    ["before", fromVersionNumber === null ? "the label did not exist" : `version ${fromVersionNumber}`],
  ];
}
