import type { ExampleStatus } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { TargetKind } from "../../kernel/target.ts";
import {
  isKnownToCaller,
  isVisibleToAll,
  promptById,
  type PromptRow,
  promptColumns,
  promptTarget,
} from "../prompts/index.ts";
import { seesPrivate } from "../../kernel/accounts/ownership.ts";

/** An example with the prompt that it belongs to. */
export interface ExampleRow {
  id: string;
  revision: string;
  authorId: string;
  title: string | null;
  status: ExampleStatus;
  rejectReason: string | null;
  isDeleted: boolean;
  hasOutput: boolean;
  hasMedia: boolean;
  prompt: PromptRow;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    example: ExampleRow;
  }
}

/** By its id alone, or below the address of its prompt. */
export interface ExampleAddress {
  id: string;
  owner?: string;
  slug?: string;
}

/** Who sees the prompt sees its approved examples; others are for their author, the owner of the prompt and admins. */
export const exampleTarget: TargetKind<ExampleRow, ExampleAddress> = {
  parse(text) {
    if (!text.startsWith("exm_")) throw new SyntaxError(`"${text}" is no id of an example`);
    return { id: text };
  },
  alias: "e",
  from: (sql, { id, owner, slug }) => sql`
    from examples e join prompts p on p.id = e.prompt_id join users o on o.id = p.owner_id
    where e.id = ${id} ${owner === undefined ? sql`` : sql`and o.handle = ${owner} and p.slug = ${slug ?? null}`}`,
  columns: (sql) => sql`
    e.id, e.revision::text, e.author_id as "authorId", e.title, e.status, e.reject_reason as "rejectReason",
    e.deleted_at is not null as "isDeleted", e.output is not null as "hasOutput",
    cardinality(e.media_ids) > 0 as "hasMedia", (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt`,
  lockFirst: (sql, { id }, strength) => [
    sql`select from prompts p join examples e on e.prompt_id = p.id where e.id = ${id} for ${strength} of p`,
  ],
  lockedBy: ({ prompt }) => `prompt ${prompt.id}`,
  isKnown: isKnownToCaller,
  whereNow: async (sql, { owner, slug }, viewer) =>
    owner === undefined || slug === undefined ? null : promptTarget.whereNow(sql, { owner, slug }, viewer),

  visibility({ prompt, status, authorId, isDeleted }, caller) {
    const isParty = caller?.role === "admin" || caller?.id === authorId || seesPrivate(caller, prompt);
    if (status !== "approved" && !isParty) return "hidden";
    const visibility = promptTarget.visibility(prompt, caller);
    return visibility === "visible" && isDeleted ? "gone" : visibility;
  },

  roles: ({ prompt, authorId }, caller) => [
    ...promptTarget.roles(prompt, caller),
    ...(caller.id === authorId ? ["author"] : []),
  ],
};

/** The example of an id, if there is one, as something that shows media: whether everybody sees it, and whose prompt it is of. */
export const shownByExample = (sql: Sql, id: Fragment): Fragment => sql`
  select e.status = 'approved' and ${isVisibleToAll(sql)} as "isForAll", p.owner_id
  from (select * from examples where id = ${id} offset 0) e cross join lateral ${promptById(sql, sql`e.prompt_id`)} p
  where e.deleted_at is null and p.deleted_at is null`;
