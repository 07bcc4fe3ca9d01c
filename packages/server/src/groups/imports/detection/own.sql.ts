import type { PromptKind } from "@promptreg/core";
import type { Sql } from "../../../database/sql.ts";
import { isOwn } from "../../../kernel/accounts/ownership.ts";

/** The entry of the latest version of a prompt. */
export interface OwnText {
  promptId: string;
  n: number;
  kind: PromptKind;
  entry: string;
}

/** The texts of an account's prompts, the newest first. */
export const selectOwn = async (
  sql: Sql,
  { userId, before, take }: { userId: string; before: string | null; take: number },
): Promise<OwnText[]> => sql<OwnText[]>`
  select p.id as "promptId", v.n, p.kind, convert_from(b.content, 'UTF8') as entry
  from (
    select * from prompts p
    where ${isOwn(sql, userId)} and deleted_at is null ${before === null ? sql`` : sql`and (created_at, id) < ((select b.created_at from prompts b where b.id = ${before}), ${before})`}
      and latest_version is not null
    order by created_at desc, id desc limit ${take}
  ) p
    join versions v on v.prompt_id = p.id and v.n = p.latest_version
    join version_files f on f.version_id = v.id and f.path = v.entry
    join blobs b on b.sha256 = f.sha256
  order by p.created_at desc, p.id desc`;
