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
  if ((prompt === undefined) !== isList) throw new UsageError("Say which prompt to follow, or --list alone.");
  if (off && (isList || level !== undefined))
    throw new UsageError("--off goes with a prompt, and with nothing else.");
  if (prompt === undefined)
    return list(context, "watch.list", { query: { level, limit: 100 } }, { none: "No prompt is followed." });
  const { connect, output } = context;
  const { owner, slug } = prompt;
  const client = await connect();
  const { watch } = off
    ? (await client.watch.delete({ owner, slug }), await client.watch.get({ owner, slug }))
    : await client.watch.put({ owner, slug, body: { level: level ?? "releases" } });
  const ref = `${owner}/${slug}`;
  output.result({ ref, watch }, () =>
    watch === null
      ? `${output.colors.bold(ref)} is not followed`
      : `${output.colors.bold(ref)} is followed: ${meanings[watch.level]}`,
  );
}

const meanings: Record<WatchSetting, string> = {
  releases: "versions and labels (releases)",
  all: "versions, labels, and what people do with it (all)",
  ignore: "nothing is heard of it (ignore)",
};
