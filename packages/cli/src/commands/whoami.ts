import type { Context } from "../context.ts";
import { plain } from "../output.ts";

export async function whoami({ connect, destination, output }: Context): Promise<void> {
  const client = await connect();
  const me = await client.users.me.get();
  const { url, source } = await destination();
  const { name, scopes, expiresAt } = me.token;
  const until = expiresAt === null ? "" : `, until ${expiresAt}`;
  const { bold } = output.colors;
  output.result({ ...me, server: url, tokenSource: source }, () =>
    [
      `${bold(plain(me.handle))} at ${url}`,
      `token "${plain(name)}" of ${source}: ${scopes.join(", ")}${until}`,
    ].join("\n"),
  );
}
