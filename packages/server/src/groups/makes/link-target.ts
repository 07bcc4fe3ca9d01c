import type { LinkStatus } from "@promptreg/core";
import { owns, seesPrivate } from "../../kernel/accounts/ownership.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { TargetKind } from "../../kernel/target.ts";
import { type PromptRow, promptColumns, promptTarget } from "../prompts/index.ts";
import { makeColumns, type MakeRow, makeTarget } from "./target.ts";

/** A link with the make and the prompt that it connects. */
export interface LinkRow {
  id: string;
  versionNumber: number;
  status: LinkStatus;
  reason: string | null;
  isPinned: boolean;
  isRemoved: boolean;
  revision: string;
  make: MakeRow;
  prompt: PromptRow;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    make_link: LinkRow;
  }
}

/** The slug of a make, and the id of one of its links. */
export interface LinkAddress {
  slug: string;
  linkId: string;
}

/** Whether somebody takes part in a link: its maker, the owner of the prompt, and moderators. Others see it once it is approved. */
const isParty = ({ make, prompt }: LinkRow, caller: Pick<Caller, "id" | "role"> | null): boolean =>
  caller !== null && (caller.role !== "user" || seesPrivate(caller, make) || seesPrivate(caller, prompt));

/** Who sees both of its ends sees it, unless it waits or was rejected. */
export const linkTarget: TargetKind<LinkRow, LinkAddress> = {
  alias: "l",
  from: (sql, { slug, linkId }) => sql`
    from make_links l join makes k on k.id = l.make_id join users mo on mo.id = k.owner_id
      join prompts p on p.id = l.prompt_id join users o on o.id = p.owner_id
    where l.id = ${linkId} and k.slug = ${slug}`,
  columns: (sql) => sql`
    l.id, l.version_n as "versionNumber", l.status, l.reason, l.pinned_at is not null as "isPinned",
    l.removed_at is not null as "isRemoved", l.revision::text,
    (select row_to_json(q) from (select ${makeColumns(sql)}) q) as make,
    (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt`,
  // First the make, then the prompt, as whoever publishes a make does.
  lockFirst: (sql, { slug, linkId }, strength) => [
    sql`select from makes where slug = ${slug} for ${strength}`,
    sql`select from prompts p join make_links l on l.prompt_id = p.id where l.id = ${linkId} for ${strength} of p`,
  ],
  lockedBy: ({ make }) => `make ${make.id}`,
  whereNow: (sql, { slug }, viewer) => makeTarget.whereNow(sql, { slug }, viewer),

  visibility(link, caller) {
    if (link.status !== "approved" && !isParty(link, caller)) return "hidden";
    const ofMake = makeTarget.visibility(link.make, caller);
    if (ofMake !== "visible") return ofMake;
    const ofPrompt = promptTarget.visibility(link.prompt, caller);
    // The make is there, the link is not.
    if (ofPrompt !== "visible") return "hidden";
    return link.isRemoved ? "hidden" : "visible";
  },

  roles: ({ make, prompt }, caller) => [
    ...(owns(caller, make) ? ["maker"] : []),
    ...(owns(caller, prompt) ? ["owner"] : []),
  ],
};
