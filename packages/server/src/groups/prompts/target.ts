import type { PromptKind } from "@promptreg/core";
import { type ApiError, apiError } from "@promptreg/core/errors";
import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";
import type { Loaded, LoadRequest, Target } from "../../kernel/target.ts";

/** What deciding about a prompt takes; the answer itself is printed by the database. */
export interface PromptRow {
  id: string;
  ownerId: string;
  ownerHandle: string;
  slug: string;
  kind: PromptKind;
  visibility: "public" | "unlisted" | "private";
  status: "draft" | "published";
  isDeleted: boolean;
  revision: string;
  lastVersion: number;
  latestVersion: number | null;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    prompt: PromptRow;
  }
}

/** The columns of a PromptRow, from `prompts p` joined with `users o`. */
export const promptColumns = (sql: Sql): Fragment => sql`
  p.id, p.owner_id as "ownerId", o.handle as "ownerHandle", p.slug, p.kind, p.visibility, p.status,
  p.deleted_at is not null as "isDeleted", p.revision::text, p.last_version as "lastVersion",
  p.latest_version as "latestVersion"`;

/** The refusal that names what a prompt, which the caller can see, does not have. */
export const hasNo = ({ ownerHandle, slug }: PromptRow, what: string): ApiError =>
  apiError("not_found", { message: `${ownerHandle}/${slug} has no ${what}.` });
/** The accounts of a handle, as a table of their `id`: the one that bears it now or bore it before. */
export const accountsNamed = (sql: Sql, handle: string): Fragment => sql`(
  select id from users where handle = ${handle} union all select user_id from former_handles where handle = ${handle}
)`;

/** The prompts of an address, as a table of their `id`: the one that is there now or was before. */
export const promptsAt = (sql: Sql, { owner, slug }: PromptAddress): Fragment => sql`(
  select found.id from ${accountsNamed(sql, owner)} account cross join lateral (
    select id from prompts where owner_id = account.id and slug = ${slug}
    union all select prompt_id from former_slugs where owner_id = account.id and slug = ${slug}
  ) found
)`;

export const promptTarget: Target<PromptRow, PromptAddress> = {
  parse: parseRef,

  async load(sql: Sql, { address, caller, lock }: LoadRequest<PromptAddress>): Promise<Loaded<PromptRow>> {
    const found = sql`
      select ${promptColumns(sql)} from prompts p join users o on o.id = p.owner_id
      where o.handle = ${address.owner} and p.slug = ${address.slug}`;
    if (lock) {
      const [target] = await sql<PromptRow[]>`${found} for no key update of p`;
      return { caller: null, target: target ?? null };
    }
    const [row] = await sql<Loaded<PromptRow>[]>`
      select ${caller} as caller, (select row_to_json(t) from (${found}) t) as target`;
    return row ?? { caller: null, target: null };
  },

  async whereNow(sql: Sql, address: PromptAddress) {
    const [row] = await sql<{ owner: string; slug: string }[]>`
      select o.handle as owner, p.slug
      from ${promptsAt(sql, address)} there join prompts p on p.id = there.id join users o on o.id = p.owner_id`;
    return row ?? null;
  },

  sight(prompt: PromptRow, caller: Caller | null) {
    const isOwner = caller?.id === prompt.ownerId;
    if (!isOwner && (prompt.visibility === "private" || prompt.status === "draft")) return "hidden";
    return prompt.isDeleted ? "gone" : "seen";
  },

  roles: ({ ownerId }, caller) => [
    ...(caller.id === ownerId ? (["owner"] as const) : []),
    ...(caller.role === "moderator" ? (["moderator"] as const) : []),
    ...(caller.role === "admin" ? (["moderator", "admin"] as const) : []),
  ],
};
