import { cell } from "../terminal/text.ts";
import type { Context } from "../settings/context.ts";

import type { VersionAddress } from "../grammar/arguments.ts";

export async function yank(
  { connect, confirm, output }: Context,
  { owner, slug, version: n }: VersionAddress,
  { reason }: { reason?: string },
): Promise<void> {
  const client = await connect();
  const version = await client.prompts.versions.get({ owner, slug, n, query: { files: "meta" } });
  const said = version.message ? ` (${cell(version.message)})` : "";
  await confirm(
    `Yank version ${n} of ${owner}/${slug}${said}? It is hidden from lists and cannot be labelled. Applications that pinned it still get it.`,
  );
  const yanked = await client.prompts.versions.yank({ owner, slug, n, body: { reason } });
  output.result(yanked, () => `${output.colors.bold(cell(`${owner}/${slug}`))} version ${n} is yanked`);
}
