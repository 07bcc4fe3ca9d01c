import type { ChangeRequest } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { printDiff } from "../terminal/diff.ts";
import type { Output } from "../terminal/output.ts";
import { cell, countOf, plain } from "../terminal/text.ts";

export async function show(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  n: number,
): Promise<void> {
  const found = await (await connect()).changeRequests.get({ owner, slug, n });
  output.result(found, () => asText(found, output));
}

export async function diff(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  n: number,
): Promise<void> {
  const found = await (await connect()).changeRequests.diff({ owner, slug, n });
  output.result(found, () => printDiff(found, output));
}

function asText(found: ChangeRequest, output: Output): string {
  const { bold } = output.colors;
  const { target, source, author, stats, body } = found;
  const from =
    source.ref === null ? `a fork of ${cell(author.handle)} that you cannot read` : cell(source.ref);
  const fields: [string, string][] = [
    ["state", stateOf(found, output)],
    ["proposes", `${from}, version ${source.versionNumber}`],
    ["made from", `${cell(target.ref)}@${target.baseVersionNumber}`],
    ["changes", `${countOf(stats.files, "file")}, +${stats.additions} −${stats.deletions}`],
    ["author", cell(author.handle)],
    ["opened", output.moment(found.createdAt)],
  ];
  const parts = [
    `${bold(`${cell(target.ref)} ${found.n}`)}  ${cell(found.title)}`,
    output.fields(fields),
    ...(body === null ? [] : [plain(body)]),
  ];
  return parts.join("\n\n");
}

/** What can be done with it, or was. */
export function stateOf(
  { state, mergeable, conflicts, target, mergedBy, closedBy }: ChangeRequest,
  { colors: { green, yellow } }: Output,
): string {
  const by = (who: { handle: string } | null) => (who === null ? "" : ` by ${cell(who.handle)}`);
  if (state === "merged") return `merged as version ${target.mergedVersionNumber}${by(mergedBy)}`;
  if (state === "closed") return `closed${by(closedBy)}`;
  return mergeable === "clean"
    ? green("open, can be merged")
    : yellow(`open, both sides changed ${conflicts.map(cell).join(", ")}`);
}
