import type { WatchSetting } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { list } from "../grammar/call.ts";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";

interface WatchOptions {
  level?: WatchSetting;
  off?: boolean;
  list?: boolean;
}

export async function watch(
  context: Context,
  prompt: PromptAddress | undefined,
  { level, off = false, list: isList = false }: WatchOptions,
): Promise<void> {
  if ((prompt === undefined) !== isList) throw new UsageError("Name a prompt to watch, or use --list alone.");
  if (off && (isList || level !== undefined))
    throw new UsageError("Use --off with a prompt and no other option.");
  if (prompt === undefined)
    return list(context, "watch.list", { query: { level, limit: 100 } }, { none: "No prompt is watched." });
  const { connect, output } = context;
  const { owner, slug } = prompt;
  const client = await connect();
  const { watch } = off
    ? (await client.watch.delete({ owner, slug }), await client.watch.get({ owner, slug }))
    : await client.watch.put({ owner, slug, body: { level: level ?? "releases" } });
  const ref = `${owner}/${slug}`;
  output.result({ ref, watch }, () =>
    watch === null
      ? `${output.colors.bold(ref)} is not watched`
      : `${output.colors.bold(ref)} is watched: ${meanings[watch.level]}`,
  );
}

const meanings: Record<WatchSetting, string> = {
  releases: "versions and labels (releases)",
  all: "versions, labels and activity of other people (all)",
  ignore: "no notifications (ignore)",
};
