import type { Post } from "@promptreg/core";
import { InputError } from "../errors.ts";
import type { Client } from "../requests/client.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";
import { stateOf } from "./find.ts";

/** A revision by its id or its number. */
export type RevisionName = { revision: string } | { number: number };

export async function findRevision(client: Client, id: string, name: RevisionName): Promise<string> {
  if ("revision" in name) return name.revision;
  for await (const { id: revision, number } of client.posts.revisions.list({ id, query: { limit: 100 } }))
    if (number === name.number) return revision;
  throw new InputError(
    `${id} has no revision ${name.number} that is kept and that you see. \`promptreg post revisions ${id}\` lists them.`,
  );
}

export async function listRevisions(
  { connect, output }: Context,
  id: string,
  { limit }: { limit: number },
): Promise<void> {
  const client = await connect();
  const query = { limit: Math.min(limit, 100) };
  const { items, hasMore } = await take(client.posts.revisions.list({ id, query }), limit);
  output.result({ items, hasMore }, () =>
    output.table(
      ["revision", "id", "kind", "words", "title", "saved"],
      items.map((one) => [
        output.colors.bold(String(one.number)),
        one.id,
        one.kind,
        String(one.words),
        cell(one.title),
        output.moment(one.createdAt),
      ]),
    ),
  );
  output.more(hasMore);
}

export async function restoreRevision(
  { connect, output }: Context,
  id: string,
  name: RevisionName,
): Promise<void> {
  const client = await connect();
  const revisionId = await findRevision(client, id, name);
  const post: Post | undefined = await client.posts.revisions.restore({ id, revisionId });
  const which = "number" in name ? `revision ${name.number}` : revisionId;
  output.result(
    post ?? null,
    () => `${output.colors.bold(id)} says again what ${which} says${post ? `, ${stateOf(post)}` : ""}`,
  );
}
