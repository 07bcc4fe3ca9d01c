import type { Context } from "../context.ts";
import { plain } from "../output.ts";

export async function whoami({ connect, output }: Context): Promise<void> {
  const client = await connect();
  const me = await client.users.me.get();
  const { name, scopes, expiresAt } = me.token;
  const until = expiresAt === null ? "" : `, until ${expiresAt}`;
  const { bold } = output.colors;
  output.result(me, () => `${bold(plain(me.handle))}  token ${plain(name)}: ${scopes.join(", ")}${until}`);
}
