import { cell } from "../terminal/text.ts";
import type { Context } from "../settings/context.ts";
import { grantOf } from "./grant.ts";

export async function whoami({ connect, destination, output }: Context): Promise<void> {
  const client = await connect();
  const me = await client.users.me.get();
  const { url, source } = await destination();
  const { bold } = output.colors;
  output.result({ ...me, server: url, tokenSource: source }, () =>
    [
      `${bold(cell(me.handle))} at ${url}`,
      cell(`token "${me.token.name}" of ${source}: ${grantOf(me)}`),
      ...(me.discord ? [`${cell(me.discord.username)} at Discord`] : []),
    ].join("\n"),
  );
}
