import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";

export async function deleteMedia({ connect, confirm, output }: Context, id: string): Promise<void> {
  const client = await connect();
  const { kind, filename } = await client.media.get({ id });
  await confirm(`Delete the ${kind} ${id}${filename === null ? "" : `, ${cell(filename)}`}?`);
  await client.media.delete({ id });
  output.result({ id, deleted: true }, () => `${output.colors.bold(id)} is deleted`);
}
