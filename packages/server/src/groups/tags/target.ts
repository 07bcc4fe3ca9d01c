import type { TagPath } from "@promptreg/core";
import type { TargetKind } from "../../kernel/target.ts";

export interface TagRow {
  name: string;
  /** How many prompts everybody finds by it: at least one. */
  prompts: number;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    tag: TagRow;
  }
}

/** A tag exists while a public prompt has it. The changes of the last seconds count. */
export const tagTarget: TargetKind<TagRow, TagPath> = {
  alias: "t",
  from: (sql, { tag }) => sql`
    from (
      select ${tag}::text as name, coalesce(sum(n), 0)::int as prompts from (
        select prompt_count as n from tags where name = ${tag} union all select delta from tag_changes where name = ${tag}
      ) counted
    ) t where t.prompts > 0`,
  columns: (sql) => sql`t.name, t.prompts`,
  visibility: () => "visible",
  roles: () => [],
};
