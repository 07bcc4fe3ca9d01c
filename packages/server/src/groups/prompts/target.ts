import type { PromptKind } from "@promptreg/core";
import { type ApiError, apiError } from "@promptreg/core/errors";
import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import { type Part, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { TargetKind } from "../../kernel/target.ts";
import { asking, callerAs } from "../../kernel/accounts/caller.ts";
import { isModerated, owns, seesPrivate } from "../../kernel/accounts/ownership.ts";
import { isKnownToCaller } from "./visibility.sql.ts";

/** What the code needs to know about a prompt. The database prints the response itself. */
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
  /** Whether a report on it, or on what belongs to it, is open. */
  isReported: boolean;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    prompt: PromptRow;
  }
}

/** The columns of a PromptRow, from `prompts p` joined with `users o`. */
export const promptColumns = piece`
  p.id, p.owner_id as "ownerId", o.handle as "ownerHandle", p.slug, p.kind, p.visibility, p.status,
  p.deleted_at is not null as "isDeleted", p.revision::text, p.last_version as "lastVersion",
  p.latest_version as "latestVersion", p.open_reports > 0 as "isReported"`;

/**
 * Whether `prompts p` has an address. The owner is found first, so that both columns of the key serve: old statistics that know few
 * owners made PostgreSQL begin with all prompts of the slug.
 */
export const hasAddress = <Given>(owner: Part<Given>, slug: Part<Given>): Piece<Given> => piece<Given>`
  p.owner_id = (select id from users where handle = ${owner}) and p.slug = ${slug}`;
/** The same for the address of a request. */
export const isAt = hasAddress<Pick<PromptAddress, "owner" | "slug">>(
  (_, { owner }) => owner,
  (_, { slug }) => slug,
);

/** The id of the prompt at an address. */
export const promptIdAt = (sql: Sql, address: Pick<PromptAddress, "owner" | "slug">): Fragment =>
  sql`(select p.id from prompts p where ${isAt(sql, address)})`;

/** The error about something that a visible prompt does not have. */
export const hasNo = ({ ownerHandle, slug }: PromptRow, what: string): ApiError =>
  apiError("not_found", { message: `${ownerHandle}/${slug} has no ${what}.` });

/** Of a published prompt without a latest version. */
export const allYanked = (prompt: PromptRow): ApiError => hasNo(prompt, "version that is not yanked");

/**
 * The prompt of an id, as a table. `offset 0` lets it be found by its key alone. Otherwise a statement that asks more of it can
 * begin with all prompts, or read an index of all that are so.
 */
export const promptById = (sql: Sql, id: Fragment): Fragment =>
  sql`(select * from prompts where id = ${id} offset 0)`;

/** The account that has or had a handle, as a table of `id`. */
export const accountsNamed = (sql: Sql, handle: string): Fragment => sql`(
  select id from users where handle = ${handle} union all select user_id from former_handles where handle = ${handle}
)`;

/** The prompt of `account` that has or had a slug, as a table of `id`. */
const promptsCalled = (sql: Sql, slug: string): Fragment => sql`(
  select id from prompts where owner_id = account.id and slug = ${slug}
  union all select prompt_id from former_slugs where owner_id = account.id and slug = ${slug}
)`;

/** The prompt that has or had an address, as a table of `id`. */
export const promptsAt = (sql: Sql, { owner, slug }: PromptAddress): Fragment => sql`(
  select found.id from ${accountsNamed(sql, owner)} account cross join lateral ${promptsCalled(sql, slug)} found
)`;

export const promptTarget = {
  parse: parseRef,
  alias: "p",
  from: (sql, address) => sql`from prompts p join users o on o.id = p.owner_id where ${isAt(sql, address)}`,
  columns: promptColumns,

  isKnown: isKnownToCaller,

  async whereNow(sql, address, viewer) {
    const { owner, slug } = address;
    // What is hidden at this very address is not looked at: that would take longer than where there is nothing.
    const [row] = await sql<{ owner: string; slug: string }[]>`
      select o.handle as owner, p.slug
      from ${asking(sql, { caller: callerAs(sql, viewer) })}, (
        select f.prompt_id as id from users u join former_slugs f on f.owner_id = u.id and f.slug = ${slug} where u.handle = ${owner}
        union all
        select found.id from (select user_id as id from former_handles where handle = ${owner}) account
          cross join lateral ${promptsCalled(sql, slug)} found
      ) there join prompts p on p.id = there.id join users o on o.id = p.owner_id
      where ${isKnownToCaller(sql)}`;
    return row ?? null;
  },

  visibility(prompt, caller) {
    const isShown = prompt.visibility !== "private" || isModerated(caller, prompt);
    if (!seesPrivate(caller, prompt) && (!isShown || prompt.status === "draft")) return "hidden";
    return prompt.isDeleted ? "gone" : "visible";
  },

  roles: (prompt, caller) => (owns(caller, prompt) ? ["owner"] : []),
} satisfies TargetKind<PromptRow, Pick<PromptAddress, "owner" | "slug">>;
