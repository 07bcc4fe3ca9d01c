import type { TagPath } from "@promptreg/core";
import type { TargetKind } from "../../kernel/target.ts";

export interface TagRow {
  name: string;
  /** How many prompts, makes and posts everybody finds by it: at least one. */
  prompts: number;
  makes: number;
  posts: number;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    tag: TagRow;
  }
}

/** A tag exists while a public prompt, make or post has it. The changes of the last seconds count. */
export const tagTarget: TargetKind<TagRow, TagPath> = {
  alias: "t",
  from: (sql, { tag }) => sql`
    from (
      select ${tag}::text as name, coalesce(sum(n), 0)::int as prompts, coalesce(sum(m), 0)::int as makes,
        coalesce(sum(p), 0)::int as posts from (
        select prompt_count as n, make_count as m, post_count as p from tags where name = ${tag}
        union all select delta, make_delta, post_delta from tag_changes where name = ${tag}
      ) counted
    ) t where t.prompts > 0 or t.makes > 0 or t.posts > 0`,
  columns: (sql) => sql`t.name, t.prompts, t.makes, t.posts`,
  visibility: () => "visible",
  roles: () => [],
};
