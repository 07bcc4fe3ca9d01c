import { cell } from "../terminal/text.ts";
import type { LabelMove } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { withoutVersion } from "../requests/without-version.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import { authorsOf } from "../prompts/index.ts";
import { fromNow } from "../terminal/moments.ts";

export async function resolve(
  { connect, output }: Context,
  { owner, slug, version, label }: PromptAddress,
  { at }: { at?: string },
): Promise<void> {
  const hasHistory = label !== undefined && label !== "latest";
  if (at !== undefined && !hasHistory)
    throw new UsageError("--at needs a label, such as owner/slug@production.");
  const client = await connect();
  const [{ data, response }, move] = await Promise.all([
    client.prompts.get({ owner, slug, query: { version, label, at, view: "version" } }).withResponse(),
    hasHistory ? moveThatHeld(client, { owner, slug, name: label }, at) : undefined,
  ]);
  const { ref, resolvedBy, yanked, version: found } = data;
  if (found === null) throw withoutVersion(ref);
  const { n, contentHash, createdAt } = found;
  const authorOf = await authorsOf(client, { owner, slug }, [found]);
  const etag = response.headers.get("etag");
  const since = move?.at ?? null;
  const resolved = { ref, resolvedBy, at: at ?? null, versionNumber: n, contentHash, yanked, etag, since };
  output.result({ ...resolved, createdAt }, () =>
    output.fields([
      ["prompt", output.colors.bold(cell(ref))],
      ["asked for", [resolvedBy.value ?? "latest", at && `at ${at}`].filter(Boolean).join(" ")],
      ["version", `${n}${yanked ? output.colors.red(", which was yanked") : ""}`],
      ["made", `${createdAt}, ${fromNow(createdAt)} by ${authorOf(found)}`],
      ...(move ? [["labelled", whenAndWhy(move)] as const] : []),
      ["hash", cell(contentHash)],
      ["etag", cell(etag ?? "none")],
    ]),
  );
}

/** The newest move of a label up to a moment. */
async function moveThatHeld(
  client: Client,
  { owner, slug, name }: { owner: string; slug: string; name: string },
  at: string | undefined,
): Promise<LabelMove | undefined> {
  const query = { limit: at === undefined ? 1 : 100 };
  for await (const move of client.prompts.labels.history({ owner, slug, name, query }))
    if (at === undefined || move.at <= at) return move;
  return undefined;
}

function whenAndWhy({ at, actor, reason }: LabelMove): string {
  const by = actor === null ? "" : ` by ${cell(actor.handle)}`;
  return `${at}, ${fromNow(at)}${by}${reason === null ? "" : `: ${cell(reason)}`}`;
}
