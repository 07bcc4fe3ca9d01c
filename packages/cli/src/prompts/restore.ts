import { cell } from "../terminal/text.ts";
import type { VersionAddress } from "../grammar/arguments.ts";
import type { Context } from "../settings/context.ts";

export async function restore(
  { connect, output }: Context,
  { owner, slug, version: n }: VersionAddress,
  { message }: { message?: string },
): Promise<void> {
  const client = await connect();
  const version = await client.prompts.versions.restore({ owner, slug, n, body: { message } });
  const { bold, green } = output.colors;
  output.result(
    { ref: `${owner}/${slug}`, restored: n, version: version ?? null },
    () =>
      `${bold(cell(`${owner}/${slug}`))} ${green(`is now at ${version ? `version ${version.n}` : "a new version"}`)}, a copy of version ${n}`,
  );
}
