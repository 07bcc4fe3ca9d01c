import type { DiffStats } from "@promptreg/core";
import { parseRef } from "@promptreg/core/refs";
import type { TargetKind } from "../../kernel/target.ts";
import {
  isAt,
  isKnownToCaller,
  type PromptRow,
  promptColumns,
  promptIdAt,
  promptTarget,
} from "../prompts/index.ts";
import { isAvailable, requestTables } from "./columns.sql.ts";
import type { Base } from "./requests.sql.ts";

/** A change request with the prompt that it is for, which decides who can see it. */
export interface ChangeRequestRow extends Base {
  prompt: PromptRow;
  revision: string;
  n: number;
  title: string;
  body: string | null;
  /** `state` in responses. In rows of reads that is what their ETag is made of. */
  status: "open" | "closed" | "merged";
  authorId: string;
  source: PromptRow;
  /** The proposed version. */
  sourceN: number;
  /** Whether the proposed version can be merged: its prompt is not deleted, and it is not yanked. */
  isAvailable: boolean;
  stats: DiffStats;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    change_request: ChangeRequestRow;
  }
}

export interface ChangeRequestAddress {
  owner: string;
  slug: string;
  n: number;
}

export const changeRequestTarget: TargetKind<ChangeRequestRow, ChangeRequestAddress> = {
  parse(text) {
    const [, ref = "", n = ""] = /^([^@]*)!([1-9]\d{0,8})$/.exec(text) ?? [];
    const { owner, slug } = parseRef(ref);
    return { owner, slug, n: Number(n) };
  },
  alias: "c",
  // A merge adds a version to the prompt. Only a statement that starts under its lock sees the latest state.
  lockFirst: (sql, address) => [
    sql`select from prompts where id = ${promptIdAt(sql, address)} for no key update`,
  ],
  from: (sql, { n, ...address }) =>
    sql`from ${requestTables(sql)} where ${isAt(sql, address)} and c.n = ${n}`,
  columns: (sql) => sql`
    (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt, c.revision::text, c.n, c.title, c.body,
    c.state as status, c.author_id as "authorId", (
      select row_to_json(q) from (
        select ${promptColumns(sql)} from prompts p join users o on o.id = p.owner_id where p.id = c.source_id
      ) q) as source, c.source_n as "sourceN", ${isAvailable(sql)} as "isAvailable", c.base_n as "baseN",
    c.base_source_n as "baseSourceN",
    json_build_object('files', c.files, 'additions', c.additions, 'deletions', c.deletions) as stats`,
  lockedBy: ({ prompt }) => `prompt ${prompt.id}`,
  isKnown: isKnownToCaller,
  whereNow: (sql, address, viewer) => promptTarget.whereNow(sql, address, viewer),
  visibility: ({ prompt }, caller) => promptTarget.visibility(prompt, caller),
  roles: ({ prompt, authorId }, caller) => [
    ...promptTarget.roles(prompt, caller),
    ...(caller.id === authorId ? ["author"] : []),
  ],
};
