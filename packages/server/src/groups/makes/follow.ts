import type { MakeEvent, OperationOf } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import type { Context } from "../../kernel/handler.ts";
import { takeDue, settleLinks, type DueLink } from "./links.sql.ts";
import { countTags } from "../tags/index.ts";
import { countRemix } from "./makes.sql.ts";
import type { MakeRow } from "./target.ts";

type Telling = Pick<Context<OperationOf<"makes.create">>, "sql" | "emit" | "server">;

/** A make as its events and notifications name it. */
export const eventMake = (
  publicUrl: string,
  { slug, title, ownerId, ownerHandle }: Pick<MakeRow, "slug" | "title" | "ownerId" | "ownerHandle">,
): MakeEvent["make"] => ({
  slug,
  title,
  url: `${publicUrl}/makes/${slug}`,
  maker: { id: ownerId, handle: ownerHandle, url: `${publicUrl}/${ownerHandle}` },
});

/**
 * Lets all that shows links follow a change of a make or of one of them, and writes the events that are due: each once, and none before
 * the make is published. Of an unlisted make only the owner of the prompt and the maker hear: an event would publish its address.
 */
export async function followLinks({ sql, emit, server }: Telling, make: MakeRow): Promise<void> {
  await settleLinks(sql, make.id);
  for (const link of await takeDue(sql, make)) {
    const data = { make: eventMake(server.publicUrl, make), link: eventLink(link) };
    const about = { prompt: link.prompt, isUnlisted: make.visibility === "unlisted" };
    if (link.isNew) await emit("make.linked", about, data);
    if (link.status === "approved") await emit("make.approved", { ...about, alsoTo: [make.ownerId] }, data);
  }
}

const eventLink = ({ id, versionNumber, status }: DueLink): MakeEvent["link"] => ({
  id,
  versionNumber,
  status,
});

/** A make, as far as it decides what is counted of it. */
interface Counted {
  isListed: boolean;
  tags: readonly string[];
}

export const isListed = ({ status, visibility }: Pick<MakeRow, "status" | "visibility">): boolean =>
  status === "published" && visibility === "public";

/** Counts what everybody finds of a make, before and after a change. */
export async function countListed(
  sql: Sql,
  make: Pick<MakeRow, "remixOfId">,
  { before, after }: { before: Counted; after: Counted },
): Promise<void> {
  const tagsOf = ({ isListed, tags }: Counted) => (isListed ? tags : []);
  await countTags(sql, "make_delta", { before: tagsOf(before), after: tagsOf(after) });
  if (before.isListed !== after.isListed) await countRemix(sql, make, after.isListed ? 1 : -1);
}
